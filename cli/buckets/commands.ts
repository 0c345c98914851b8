import type { Command } from 'commander'
import { jsonFlag, lazily } from '../declare/command'

const nameHelp = 'name of the registered bucket'
const keysStdin = [
  '--keys-stdin',
  'read the access key and its secret from standard input, one per line',
] as const

/** Commands for the buckets of projects. */
export function declareBuckets(program: Command): void {
  const buckets = program
    .command('buckets')
    .description('manage buckets that receive results and logs (admins only)')
  buckets
    .command('list', { isDefault: true })
    .description('list the registered buckets (the default)')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./buckets')).listBuckets))
  buckets
    .command('add')
    .description('register a bucket, after a test object was written to it; asks for the keys')
    .argument('<name>', nameHelp)
    .requiredOption('--bucket <bucket>', 'its name on the S3 server')
    .option('--endpoint <address>', 'address of the S3 server (default: Amazon S3)')
    .option('--region <region>', 'region of the bucket', 'us-east-1')
    .option(...keysStdin)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./buckets')).addBucket))
  buckets
    .command('keys')
    .description('replace the keys of a bucket; asks for the new ones')
    .argument('<name>', nameHelp)
    .option(...keysStdin)
    .action(lazily(async () => (await import('./buckets')).changeKeys))
  buckets
    .command('assign')
    .description('let a project use a bucket')
    .argument('<name>', `${nameHelp}; "none" to remove it from the project`)
    .argument('<project>', 'OWNER/PROJECT, or the id of an own project')
    .action(lazily(async () => (await import('./buckets')).assignBucket))
  buckets
    .command('remove')
    .description('delete the registration of a bucket that no project uses; its objects stay')
    .argument('<name>', nameHelp)
    .action(lazily(async () => (await import('./buckets')).removeBucket))
}
