import { contentsOf } from '@/lib/contract/archive-manifest'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { formatBytes } from './format-bytes'
import { listDirectory } from './list-directory'
import { Progress } from './progress'
import { sendContents } from './send-contents'
import { ShipRetry } from './timeouts'

interface ShipOptions {
  /** Prints no progress. */
  quiet?: boolean | undefined
}

interface Shipped {
  /** The reference for the `archive` key of a config. */
  archive: string
  files: number
  bytes: number
  sentBytes: number
}

/**
 * Ships a directory to a project. It only sends content that the project does not have. After a failure, and
 * in a later call, it resumes with the missing content.
 *
 * @throws GpuqError if the directory cannot be shipped, ProblemError if the server refuses it or does not
 * answer.
 */
export async function shipDirectory(
  context: Context,
  projectId: string,
  directory: string,
  { quiet = false }: ShipOptions = {},
): Promise<Shipped> {
  const client = await context.connect()
  const listed = await listDirectory(context, directory, await client.archives.limits(), quiet)
  const { entries, bytes } = listed
  const sizes = contentsOf(entries)
  const patience = new ShipRetry(context, quiet)
  let sentBytes: number | undefined
  for (;;) {
    const state = await patience.try(() =>
      client.archives.register({ project_id: projectId, entries: [...entries] }),
    )
    if (!state) continue
    const { archive, missing } = state
    const totalBytes = missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
    sentBytes ??= totalBytes
    const shipped = { archive, files: entries.length, bytes, sentBytes }
    if (missing.length === 0) {
      if (!quiet) await note(context, formatSummary(directory, shipped))
      return shipped
    }
    patience.noteLeft(missing.length)
    const progress = quiet ? null : new Progress(context.terminal, 'sending', totalBytes)
    try {
      await patience.try(() => sendContents({ client, projectId, listed, progress }, missing))
    } finally {
      await progress?.end()
    }
  }
}

function formatSummary(directory: string, { files, bytes, sentBytes }: Shipped): string {
  const sent = sentBytes === 0 ? 'already on the server, nothing sent' : `sent ${formatBytes(sentBytes)}`
  return `${directory}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}; ${sent}`
}
