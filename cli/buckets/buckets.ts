import { text } from 'node:stream/consumers'
import type { Bucket, UpdateBucket } from '@/lib/buckets/contract'
import { invalidRequest } from '@/lib/contract/errors'
import { ask } from '../console/ask'
import type { Column } from '../console/table'
import { type Context, print, printList, writeText } from '../context'
import { findProject } from '../find-project'

interface KeyOptions {
  keysStdin?: boolean
}

interface AddOptions extends KeyOptions {
  bucket: string
  endpoint?: string
  region: string
  json?: boolean
}

const columns: Column<Bucket>[] = [
  { title: 'NAME', cell: ({ name }) => name },
  { title: 'BUCKET', cell: ({ bucket }) => `s3://${bucket}` },
  { title: 'ENDPOINT', cell: ({ endpoint }) => endpoint ?? 'Amazon S3' },
  { title: 'REGION', cell: ({ region }) => region },
  { title: 'PROJECTS', cell: ({ projects }) => projects.join(' ') },
]

export async function listBuckets(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  return printList(context, json, await client.buckets.list(), columns, 'No buckets are registered.')
}

export async function addBucket(
  context: Context,
  name: string,
  { bucket, endpoint, region, keysStdin, json }: AddOptions,
): Promise<number> {
  const client = await context.connect()
  const keys = await readKeys(keysStdin)
  const added = await client.buckets.create({ name, bucket, endpoint: endpoint ?? null, region, ...keys })
  const next = `Let a project use it: gpuq buckets assign ${name} OWNER/PROJECT`
  return print(context, json, added, `Registered ${name} (s3://${added.bucket}). ${next}\n`)
}

export async function changeKeys(context: Context, name: string, { keysStdin }: KeyOptions): Promise<number> {
  const client = await context.connect()
  await client.buckets.update(name, await readKeys(keysStdin))
  return writeText(context, `Replaced the keys of ${name}.\n`)
}

export async function assignBucket(context: Context, name: string, project: string): Promise<number> {
  const client = await context.connect()
  const { id, owner, project_id } = await findProject(client, project)
  await client.projects.update(id, { bucket: name === 'none' ? null : name })
  const stored = name === 'none' ? 'no bucket' : `the bucket ${name}`
  return writeText(context, `New jobs of ${owner}/${project_id} use ${stored}.\n`)
}

export async function removeBucket(context: Context, name: string): Promise<number> {
  const client = await context.connect()
  await client.buckets.remove(name)
  return writeText(context, `Removed the registration of ${name}. Its objects stay.\n`)
}

/** Reads the keys without showing them. They are never arguments, because other users can see those. */
async function readKeys(fromStdin = false): Promise<UpdateBucket> {
  if (!fromStdin) {
    if (!process.stdin.isTTY)
      throw invalidRequest('Cannot ask for keys without a terminal. Use --keys-stdin.')
    const access_key_id = await ask('Access key: ', '')
    return { access_key_id, secret_access_key: await ask('Secret key (hidden): ', '', true) }
  }
  const [access_key_id = '', secret_access_key = ''] = (await text(process.stdin)).split(/\r?\n/)
  return { access_key_id, secret_access_key }
}
