import type { SnapshotChange, SnapshotChanges } from '@/lib/contract/archives/changes'
import { formatSnapshot } from '@/lib/contract/archives/snapshot-name'
import { invalidRequest } from '@/lib/contract/errors'
import { formatBytes } from '@/lib/contract/format-bytes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Snapshot } from '@/lib/snapshots/contract'
import { formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { type Context, print, printList } from '../context'
import { connectToProject } from '../find-project'
import { exitCodes } from '../job/exit-code'
import { readPages } from '../job/read-pages'
import { extractTar } from '../received/extract-tar'
import { saveDownload } from '../received/save-download'
import { findSnapshot, requireReference } from './find-snapshot'

interface ListOptions {
  project: string
  limit: number
  json?: boolean
}

/** Lists the snapshots that a project may use, or the versions of one. */
export async function listSnapshots(
  context: Context,
  given: string | undefined,
  { project, limit, json }: ListOptions,
): Promise<number> {
  const reference = given === undefined ? null : requireReference(given)
  const { client, projectId } = await connectToProject(context, project)
  if (reference === null) {
    const found = await readPages(limit, (page) => client.snapshots.list(projectId, page))
    const none = `The project has no snapshots. Make one: gpuq push DIR --name code --project ${project}`
    return printList(context, json, found, [...columns(), versionsColumn], none)
  }
  const found = await readPages(limit, (page) =>
    client.snapshots.versions(projectId, { ...reference, ...page }),
  )
  return printList(context, json, found, columns(), `The project has no snapshot ${given}.`)
}

function columns(): Column<Snapshot>[] {
  const now = Date.now()
  return [
    { title: 'SNAPSHOT', cell: formatSnapshot },
    { title: 'SIZE', cell: ({ bytes }) => formatBytes(bytes), right: true },
    { title: 'FILES', cell: ({ files }) => String(files), right: true },
    { title: 'BY', cell: ({ created_by }) => created_by ?? '' },
    { title: 'CREATED', cell: ({ created_at }) => formatWhen(created_at, now), right: true },
    {
      title: 'SHARED',
      cell: ({ own, project_id, shared_at }) =>
        own ? (shared_at === null ? '' : 'with everyone') : `by ${project_id}`,
    },
  ]
}

const versionsColumn: Column<Snapshot & { versions: number }> = {
  title: 'VERSIONS',
  cell: ({ versions }) => String(versions),
  right: true,
}

/** As many files as two directories can have together. */
const maxFiles = 100_000

/** Lists the files that differ between two snapshots. */
export async function compareSnapshots(
  context: Context,
  from: string,
  to: string,
  { project, json }: Pick<ListOptions, 'project' | 'json'>,
): Promise<number> {
  requireReference(from)
  requireReference(to)
  const inProject = await connectToProject(context, project)
  const [before, after] = [await findSnapshot(inProject, from), await findSnapshot(inProject, to)]
  const changes = await inProject.client.snapshots.changes(after.id, { since: before.id, limit: maxFiles })
  return print(context, json, changes, describeChanges(before, after, changes))
}

const marks = { added: '+', removed: '-', changed: '~' } as const

function describeChanges(before: Snapshot, after: Snapshot, changes: SnapshotChanges): string {
  const { added, removed, changed, unchanged, files } = changes
  const names = `${formatSnapshot(before)} and ${formatSnapshot(after)}`
  if (files.length === 0) return `${names} have the same ${unchanged.files} files.\n`
  const lines = files.map((file) => `${marks[file.change]} ${visibleText(file.path, 200)}  ${sizeOf(file)}\n`)
  const count = (what: string, { files: number, bytes }: typeof added) =>
    `${number} ${what} (${formatBytes(bytes)})`
  const counts = [count('added', added), count('removed', removed), count('changed', changed)]
  return `${lines.join('')}\n${names}: ${counts.join(', ')}, ${unchanged.files} unchanged\n`
}

function sizeOf({ bytes_before: before, bytes_after: after }: SnapshotChange): string {
  return [before, after].flatMap((bytes) => (bytes === null ? [] : [formatBytes(bytes)])).join(' → ')
}

/** Downloads a snapshot into a new directory, or as one tar file. */
export async function downloadSnapshot(
  context: Context,
  given: string,
  directory: string | undefined,
  { output, project }: { output?: string; project: string },
): Promise<number> {
  // The directory has the name that the user typed, not the one in the answer.
  const { name } = requireReference(given)
  if (output !== undefined && directory !== undefined)
    throw invalidRequest('Give either a directory or --output FILE, not both.')
  const inProject = await connectToProject(context, project)
  const snapshot = await findSnapshot(inProject, given)
  const open = () => inProject.client.snapshots.download(snapshot.id)
  const target = output ?? directory ?? `${name.split('/').at(-1)}-${snapshot.version}`
  if (output !== undefined) await saveDownload(output, await open())
  else await extractTar(open, target, { expected: snapshot })
  const size = `${snapshot.files} ${snapshot.files === 1 ? 'file' : 'files'}, ${formatBytes(snapshot.bytes)}`
  await context.terminal.err(`Saved ${formatSnapshot(snapshot)} to ${target} (${size}).\n`)
  return exitCodes.ok
}
