import type { Storage, StoredItem } from '@/lib/contract/access/storage'
import { storageKindNames, storageKinds } from '@/lib/contract/access/storage-kinds'
import { GpuqError } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/contract/format-bytes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Client } from '@/lib/http/client/client'
import { ask } from '../console/ask'
import { formatWhen } from '../console/format'
import { type Column, renderTable } from '../console/table'
import { type Context, print, writeJson } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJobId, firstIds } from '../job/job-id'

interface StorageOptions {
  user?: string
  limit: number
  json?: boolean
}

/** Shows what a user has stored by kind, the quota, and the largest things that can be deleted. */
export async function storage(context: Context, { user, limit, json }: StorageOptions): Promise<number> {
  const client = await context.connect()
  const found = await client.storage.get({ user_id: user, limit })
  return print(context, json, found, describeStorage(found, context))
}

function describeStorage({ storage: use, items }: Storage, { terminal }: Context): string {
  const { used_bytes, quota_bytes, by_kind } = use
  const quota = quota_bytes === null ? 'no quota' : `quota ${formatBytes(quota_bytes)}`
  const kinds = storageKinds
    .filter((kind) => by_kind[kind] > 0)
    .map((kind) => `  ${formatBytes(by_kind[kind]).padStart(9)}  ${storageKindNames[kind]}\n`)
  const used = `${formatBytes(used_bytes)} stored, ${quota}\n${kinds.join('')}`
  if (items.length === 0) return used
  const hint = items.some((item) => !item.in_use && !item.deleting)
    ? '\nDelete what you no longer need with `gpuq storage delete ID`.\n'
    : ''
  return `${used}\nLargest first:\n${renderTable(columns(), items, terminal)}${hint}`
}

function columns(): Column<StoredItem>[] {
  const now = Date.now()
  return [
    { title: 'SIZE', cell: ({ bytes }) => formatBytes(bytes), right: true },
    { title: 'KIND', cell: (item) => describeKind(item) },
    { title: 'ID', cell: labelOf },
    {
      title: 'NAME',
      cell: ({ kind, name, project_id }) => (kind === 'checkpoints' ? project_id : (name ?? project_id)),
      long: true,
    },
    { title: 'CREATED', cell: ({ created_at }) => formatWhen(created_at, now), right: true },
    {
      title: 'STATE',
      cell: ({ in_use, deleting }) => (deleting ? 'being deleted' : in_use ? 'in use' : ''),
    },
  ]
}

const kindNames = { job: 'job', archive: 'directory', checkpoints: 'checkpoints' } as const

function describeKind({ kind }: Pick<StoredItem, 'kind'>): string {
  return kindNames[kind]
}

/** What names a thing on the command line. Two projects may have the same id, so two runs may have the same label. */
function labelOf({
  kind,
  id,
  name,
  project_id,
}: Pick<StoredItem, 'kind' | 'id' | 'name' | 'project_id'>): string {
  return kind === 'checkpoints' ? `${project_id}/${name ?? id}` : id
}

interface DeleteOptions {
  user?: string
  yes?: boolean
  json?: boolean
}

/** One thing to delete. A job that is not among the largest has no size here. */
type Deletion = Pick<StoredItem, 'kind' | 'id' | 'name' | 'project' | 'project_id'> & { bytes: number | null }

/** Deletes files of jobs, uploaded directories and checkpoints of runs, after a confirmation. */
export async function deleteStored(
  context: Context,
  given: string[],
  { user, yes, json }: DeleteOptions,
): Promise<number> {
  const client = await context.connect()
  const { items } = await client.storage.get({ user_id: user, limit: maxItems })
  const found = new Map<string, Deletion>()
  for (const text of given) {
    const one = await findStored(client, items, text)
    found.set(`${one.kind} ${one.id}`, one)
  }
  const chosen = [...found.values()]
  if (!yes) await confirm(context, chosen)
  for (const one of chosen) {
    await deleteOne(client, one)
    if (!json) await context.terminal.err(`Deleted ${describeOne(one)}.\n`)
  }
  if (json) {
    const deleted = chosen.map(({ kind, id, project_id, bytes }) => ({ kind, id, project_id, bytes }))
    await writeJson(context, deleted)
  }
  return exitCodes.ok
}

/** As many as the API lists. */
const maxItems = 200

/** Finds a thing by its id or the start of it. A job may be any of the caller's. */
async function findStored(client: Client, items: readonly StoredItem[], text: string): Promise<Deletion> {
  const exact = items.filter((item) => labelOf(item) === text || item.id === text)
  const prefix = text.toLowerCase()
  const found =
    exact.length > 0
      ? exact
      : items.filter((item) => labelOf(item).startsWith(prefix) || item.id.startsWith(prefix))
  const [first] = found
  if (first && found.length === 1) return first
  if (first) {
    const some = firstIds(found.map(({ id }) => id))
    throw new GpuqError('conflict', `${found.length} things match ${text}: ${some}. Give one of these ids.`)
  }
  if (text.includes('/')) {
    throw new GpuqError('not_found', `There are no checkpoints ${text}. See \`gpuq storage\`.`)
  }
  return {
    kind: 'job',
    id: await findJobId(client, text),
    name: null,
    project: '',
    project_id: '',
    bytes: null,
  }
}

async function confirm({ isInteractive }: Context, chosen: readonly Deletion[]): Promise<void> {
  const what = chosen.map((one) => `  ${describeOne(one)}\n`).join('')
  if (!isInteractive) {
    throw new GpuqError('invalid_request', `This deletes:\n${what}It cannot be undone. Add --yes to confirm.`)
  }
  const answer = await ask(`This deletes:\n${what}It cannot be undone. Continue? [y/N] `, 'n')
  if (!/^y(es)?$/i.test(answer)) throw new GpuqError('conflict', 'Nothing was deleted.')
}

function describeOne(one: Deletion): string {
  const size = one.bytes === null ? '' : ` (${formatBytes(one.bytes)})`
  const what = one.kind === 'job' ? 'result, files and program of job' : `${describeKind(one)}`
  return `${what} ${visibleText(labelOf(one), 200)}${size}`
}

async function deleteOne({ storage: stored }: Client, { kind, id, project }: Deletion): Promise<void> {
  if (kind === 'job') await stored.deleteJobFiles(id)
  else if (kind === 'archive') await stored.deleteArchive(id)
  else await stored.deleteCheckpoints(project, id)
}
