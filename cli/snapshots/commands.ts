import type { Command } from 'commander'
import { jsonFlag, lazily } from '../declare/command'
import { parseCount } from '../declare/values'

const projectFlag = [
  '--project <id>',
  'project; OWNER/ID for the project of another user',
  'default',
] as const
const snapshotHelp = 'name of a snapshot (its newest version), or NAME@VERSION'

const aboutPush = `
Sends only files that you have not sent to the project, and prints the snapshot, such as code@3. Jobs use it with the config
key "archive: code@3", or "archive: code" for the newest version. .gpuqignore, what git tracks and .gitignore decide what is sent.`

/** Commands for snapshots: named versions of uploaded directories. */
export function declareSnapshots(program: Command): void {
  program
    .command('push')
    .description('upload a directory as the next version of a snapshot')
    .argument('<dir>', 'directory')
    .requiredOption('--name <name>', 'name of the snapshot, such as code or data/cifar10')
    .option(...projectFlag)
    .option('-q, --quiet', 'print only the snapshot')
    .option(...jsonFlag)
    .addHelpText('after', aboutPush)
    .action(lazily(async () => (await import('./push')).push))
  const snapshots = program
    .command('snapshots')
    .description('list, compare, download, share and delete snapshots')
  snapshots
    .command('list', { isDefault: true })
    .description('list the snapshots that a project may use, or the versions of one (the default)')
    .argument('[name]', 'name of a snapshot')
    .option(...projectFlag)
    .option('--limit <number>', 'maximum number of snapshots', parseCount, 100)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./snapshots')).listSnapshots))
  snapshots
    .command('compare')
    .description('list the files that were added, removed and changed between two snapshots')
    .argument('<from>', snapshotHelp)
    .argument('<to>', snapshotHelp)
    .option(...projectFlag)
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./snapshots')).compareSnapshots))
  snapshots
    .command('download')
    .description('download a snapshot into a new directory, or as a tar file')
    .argument('<snapshot>', snapshotHelp)
    .argument('[dir]', 'new or empty directory (default: the last part of the name, and the version: code-3)')
    .option('-o, --output <file>', 'write one tar file')
    .option(...projectFlag)
    .action(lazily(async () => (await import('./snapshots')).downloadSnapshot))
  declareChanges(snapshots)
}

function declareChanges(snapshots: Command): void {
  snapshots
    .command('delete')
    .description('delete versions of snapshots; a name without version deletes all its versions')
    .argument('<snapshot...>', 'NAME@VERSION, or NAME for all its versions')
    .option(...projectFlag)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(lazily(async () => (await import('./change-snapshots')).deleteSnapshots))
  snapshots
    .command('share')
    .description('let every project use a snapshot (admins only)')
    .argument('<snapshot>', snapshotHelp)
    .option(...projectFlag)
    .action(lazily(async () => (await import('./change-snapshots')).shareSnapshot))
  snapshots
    .command('unshare')
    .description('stop sharing a snapshot (admins only); jobs that were accepted with it keep it')
    .argument('<snapshot>', 'NAME@VERSION, or NAME for all its versions')
    .option(...projectFlag)
    .action(lazily(async () => (await import('./change-snapshots')).unshareSnapshot))
}
