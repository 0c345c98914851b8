import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { Artifact, FilesDeletion } from '@/lib/contract/artifacts'
import { conflict } from '@/lib/contract/errors'
import { safePaths, visibleText } from '@/lib/contract/sanitize-text'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { type Context, printList } from '../context'
import { saveDownload } from '../files'
import { exitCodes } from '../job/exit-code'
import { findJob } from '../job/job-id'
import type { Column } from '../terminal/table'

interface ArtifactsOptions {
  output?: string
  json?: boolean
}

const noFiles = 'The job wrote no files to /results.'

/** Lists the files that a job wrote to /results, or downloads them with `output`. */
export async function artifacts(context: Context, given: string, options: ArtifactsOptions): Promise<number> {
  const { client, jobId } = await findJob(context, given)
  const { artifacts: found, ...deletion } = await client.jobs.artifacts(jobId)
  if (options.output !== undefined) return save(context, client, jobId, found, options.output)
  return printList(context, options.json, found, columnsFor(found), describeEmpty(deletion))
}

function describeEmpty({ files_deleted, deleted_after_days: days }: FilesDeletion): string {
  if (files_deleted === null) return noFiles
  return files_deleted === 'on_request'
    ? 'The files were deleted on request.'
    : `The files were deleted after ${days} days.`
}

function columnsFor(found: readonly Artifact[]): Column<Artifact>[] {
  const several = found.some(({ rank }) => rank !== 0)
  return [
    ...(several ? [{ title: 'RANK', cell: ({ rank }: Artifact) => String(rank), right: true }] : []),
    { title: 'BYTES', cell: ({ bytes }) => String(bytes), right: true },
    { title: 'PATH', cell: ({ path }) => visibleText(path, 200) },
  ]
}

/**
 * The job chooses the paths. Each becomes a safe path below the directory, and existing links are not
 * followed out of it.
 */
async function save(
  { terminal }: Context,
  client: JobsClient,
  jobId: string,
  found: readonly Artifact[],
  output: string,
): Promise<number> {
  const several = found.some(({ rank }) => rank !== 0)
  const names = safePaths(found.map(({ rank, path }) => (several ? `rank-${rank}/${path}` : path)))
  await mkdir(output, { recursive: true })
  const root = await realpath(output)
  for (const [index, artifact] of found.entries()) {
    const target = resolve(root, names[index] ?? artifact.artifact_id)
    await mkdir(dirname(target), { recursive: true })
    await requireBelow(root, dirname(target))
    await saveDownload(target, await client.jobs.artifact(jobId, artifact.artifact_id))
    await terminal.out(`${join(output, relative(root, target))}\n`)
  }
  if (found.length === 0) await terminal.err(`${noFiles}\n`)
  return exitCodes.ok
}

async function requireBelow(root: string, directory: string): Promise<void> {
  const real = await realpath(directory)
  if (real === root || real.startsWith(root + sep)) return
  throw conflict(`${directory} is outside of ${root} because of a link. Choose an empty directory.`)
}
