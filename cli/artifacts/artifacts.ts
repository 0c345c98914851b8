import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifact } from '@/lib/artifacts/contract'
import { conflict } from '@/lib/contract/errors'
import type { FilesDeletion } from '@/lib/contract/job-files'
import { safePaths, visibleText } from '@/lib/contract/text/sanitize-text'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import type { Column } from '../console/table'
import { type Context, printList } from '../context'
import { exitCodes } from '../job/exit-code'
import { findJob } from '../job/job-id'
import { whyKeptBack } from '../received/kept-back'
import { describeRefusal, enterParent } from '../received/path-below'
import { saveDownload } from '../received/save-download'
import { SeparateFiles } from './separate-files'

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
 * The job chooses the paths. Each becomes a safe path below the directory, as the job wrote it if this system can hold it, and no link
 * there is followed. What would change the rules or the hooks of the user is not saved, and a file that cannot be written does not stop
 * the others.
 */
async function save(
  { terminal }: Context,
  client: JobsClient,
  jobId: string,
  found: readonly Artifact[],
  output: string,
): Promise<number> {
  const several = found.some(({ rank }) => rank !== 0)
  const written = found.map(({ rank, path }) => (several ? `rank-${rank}/${path}` : path))
  const names = safePaths(written, process.platform === 'win32')
  const targets = new SeparateFiles(output)
  await mkdir(output, { recursive: true })
  const elsewhere = "Download it from the job's page."
  let exitCode: number = exitCodes.ok
  for (const [index, artifact] of found.entries()) {
    let name = names[index] ?? artifact.artifact_id
    const why = whyKeptBack(name)
    if (why !== null) {
      await terminal.err(`gpuq: ${name} is not saved, because ${why}. ${elsewhere}\n`)
      continue
    }
    try {
      name = await targets.choose(name)
      const target = await enterParent(output, name, true)
      if (target === null) throw conflict(`${output} was removed meanwhile. Run the command again.`)
      await saveDownload(target, await client.jobs.artifact(jobId, artifact.artifact_id), artifact.bytes)
      await targets.add(target)
      await terminal.out(`${join(output, name)}\n`)
      if (name !== written[index]) await terminal.err(describeChange(written[index] ?? '', name))
    } catch (error) {
      const why = describeRefusal(error)
      if (why === null) throw error
      await terminal.err(`gpuq: ${name} is not saved: ${why} ${elsewhere}\n`)
      exitCode = exitCodes.failed
    }
  }
  if (found.length === 0) await terminal.err(`${noFiles}\n`)
  return exitCode
}

function describeChange(path: string, name: string): string {
  return `gpuq: ${visibleText(path, 300)} is saved as ${name}, because this system cannot hold its name here.\n`
}
