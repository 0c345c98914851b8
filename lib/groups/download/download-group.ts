import { join } from 'node:path'
import type { Actor } from '../../access/actor'
import { renewActor } from '../../access/credential-validity'
import { SpoolFile } from '../../archives/unpack/spool-file'
import { filesOfJob, findJobsWithFiles, inDirectory } from '../../artifacts/files-of-jobs'
import { GpuqError } from '../../contract/errors'
import { env } from '../../env'
import { contentDisposition } from '../../jobs/downloads/content-disposition'
import { type TarEntry, tarOf } from '../../jobs/downloads/tar'
import { findVisibleJobs } from '../../jobs/read/job-visibility'
import { diskSpace } from '../../storage/free-space'
import type { GroupDetail, GroupMember } from '../contract'
import { csvHead, csvLine } from '../contract-csv'
import { isVisibleGroup, listMembers, readGroup, readMetricNames } from '../groups'

/** Members that are read at once. */
const pageSize = 100
/** The most metrics in the table: each is a column of every member. */
const maxMetrics = 1_000

/**
 * Streams a group as one tar archive: `group.json`, `members.csv`, and a directory with the result file and the artifacts of each member that
 * has any. Members are read page by page, as the client takes them.
 * @param signal ends the reading when the client has left
 * @throws 404 if the actor may not see the group, 507 if the disk of the data directory is almost full: the table waits there.
 */
export async function downloadGroup(actor: Actor, id: string, signal: AbortSignal): Promise<Response> {
  const group = await readGroup(actor, id)
  if ((await diskSpace()).low) throw noSpaceForTable()
  const mayRead = async () => {
    const current = await renewActor(actor)
    return current !== null && (await isVisibleGroup(current, group.group_id))
  }
  const read = () => pagesOf(actor, group.group_id, signal)
  return contentDisposition(archiveOf(actor, group, read), {
    name: `${group.group_id}.tar`,
    type: 'application/x-tar',
    mayRead,
  })
}

const noSpaceForTable = () =>
  new GpuqError(
    'insufficient_storage',
    "The disk of gpuq's server is almost full, so it has no space for the table of the members. Download the files from the pages of the jobs, or ask an admin to free disk space.",
    { retryAfterS: 60 },
  )

/** Reads all members, page by page. */
type ReadPages = () => AsyncIterable<GroupMember[]>

async function* archiveOf(actor: Actor, group: GroupDetail, read: ReadPages): AsyncGenerator<Uint8Array> {
  const spool = await SpoolFile.create(join(env().GPUQ_DATA_DIR, 'uploads'))
  try {
    yield* tarOf(entriesOf(actor, group, read, spool))
  } finally {
    await spool.close()
  }
}

/** @param spool holds the table of the members, because an archive says the size of a file before its content */
async function* entriesOf(
  actor: Actor,
  group: GroupDetail,
  read: ReadPages,
  spool: SpoolFile,
): AsyncGenerator<TarEntry> {
  const modified = new Date()
  const json = Buffer.from(`${JSON.stringify(group, null, 2)}\n`)
  yield { path: 'group.json', bytes: json.length, modified, open: async () => toStream([json]) }
  const table = await spool.append(tableOf(group, read), () => {})
  yield { path: 'members.csv', bytes: table.bytes, modified, open: async () => spool.read(table) }
  for await (const members of read()) {
    // One query for those that have none: most members of a large group may still wait.
    const withFiles = await findJobsWithFiles(members.map(({ job_id }) => job_id))
    const jobs = await findVisibleJobs(actor, [...withFiles])
    for (const member of members) {
      const job = jobs.find((one) => one.id === member.job_id)
      if (job) yield* inDirectory(directoryOf(member), await filesOfJob(job))
    }
  }
}

async function* tableOf({ group_id, parameters }: GroupDetail, read: ReadPages): AsyncGenerator<Buffer> {
  const metrics = await readMetricNames(group_id, maxMetrics)
  yield Buffer.from(csvHead(parameters, metrics, ['directory']))
  for await (const members of read()) {
    const withFiles = await findJobsWithFiles(members.map(({ job_id }) => job_id))
    const lines = members.map((member) =>
      csvLine(member, parameters, metrics, [withFiles.has(member.job_id) ? directoryOf(member) : '']),
    )
    yield Buffer.from(lines.join(''))
  }
}

async function* pagesOf(actor: Actor, id: string, signal: AbortSignal): AsyncGenerator<GroupMember[]> {
  let cursor: string | undefined
  do {
    signal.throwIfAborted()
    const { items, next } = await listMembers(actor, id, { limit: pageSize, cursor })
    yield items
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

async function* toStream(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

/** Names stay readable in a list, and short enough for every disk. */
const maxNameCharacters = 80

/** The directory of a member: its number makes it unique, and its parameters are for people, such as `0003-lr=0.1-seed=2`. */
export function directoryOf({
  index,
  parameters,
  repeat,
}: Pick<GroupMember, 'index' | 'parameters' | 'repeat'>): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  if (repeat > 0) values.push(`repeat=${repeat}`)
  return [String(index).padStart(4, '0'), ...values]
    .join('-')
    .replaceAll(/[^\w.=+-]+/g, '_')
    .slice(0, maxNameCharacters)
    .replace(/\.+$/, '')
}
