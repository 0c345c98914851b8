import { contentsOf } from '@/lib/contract/archive-manifest'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { formatBytes } from './format-bytes'
import { listDirectory } from './list-directory'
import { Progress } from './progress'
import { sendContents } from './send-contents'
import { ShipRetry } from './timeouts'

interface ShipOptions {
  /** Says nothing of how it goes. */
  quiet?: boolean | undefined
}

interface Shipped {
  /** What a config's `archive` names it by. */
  archive: string
  files: number
  bytes: number
  sentBytes: number
}

/**
 * Ships a directory to a project: what of it the project does not have yet. After a break it goes on with what is still
 * missing; so does a second call.
 * @throws GpuqError for what cannot be shipped, ProblemError where gpuq refuses it or does not answer for long.
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
  const sent = sentBytes === 0 ? 'all of it is there already' : `sent ${formatBytes(sentBytes)}`
  return `${directory}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}; ${sent}`
}
