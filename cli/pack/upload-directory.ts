import { dirname } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { backoff } from '@/lib/async/retry'
import { contentsOf } from '@/lib/contract/archives/archive-manifest'
import { unavailable } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { listDirectory } from './list-directory'
import { formatBytes, Progress } from './progress'
import { sendContents } from './send-contents'

/** How many failures in a row without progress end the command. */
const maxFailures = 8
const firstDelayMs = 500
const longestDelayMs = 10_000
const neverComplete = 'The server keeps requesting the same files. Contact an admin.'

/**
 * Uploads a directory to a project, and returns the reference for the `archive` key of a config. It only sends
 * content that the project does not have. After a failure, and in a later call, it resumes with the missing
 * content.
 *
 * @throws GpuqError if the directory cannot be uploaded, ProblemError if the server refuses it or does not
 * answer.
 */
export async function uploadDirectory(
  context: Context,
  projectId: string,
  directory: string,
  quiet = false,
): Promise<string> {
  const client = await context.connect()
  const listed = await listDirectory(context, directory, await client.archives.limits(), quiet)
  const { entries, bytes } = listed
  const sizes = contentsOf(entries)
  let failures = 0
  let left = Number.POSITIVE_INFINITY
  let sentBytes: number | undefined
  for (;;) {
    try {
      const { archive, missing } = await client.archives.register({ project_id: projectId, entries })
      const totalBytes = missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
      sentBytes ??= totalBytes
      if (missing.length === 0) {
        if (!quiet) await note(context, formatSummary(directory, entries.length, bytes, sentBytes))
        return archive
      }
      // Progress resets the count, so that an upload over a bad connection still finishes.
      if (missing.length < left) failures = 0
      else if (++failures > maxFailures) throw unavailable(neverComplete)
      left = missing.length
      const progress = quiet ? null : new Progress(context.terminal, 'sending', totalBytes)
      await sendContents({ client, projectId, listed, progress }, missing).finally(() => progress?.end())
    } catch (error) {
      if (!(error instanceof ProblemError) || !canRetry(error) || ++failures > maxFailures) throw error
      if (!quiet) await note(context, `${error.message} Retrying.`)
      const delayMs = backoff(failures, firstDelayMs, longestDelayMs)
      await context.sleep(Math.max(delayMs, (error.retryAfter ?? 0) * 1000))
    }
  }
}

/**
 * Uploads the program's directory to the project of its config, and returns the config with a reference to the
 * directory. Returns an invalid config unchanged: the server reports its errors.
 */
export async function uploadBeside(
  context: Context,
  program: string,
  config: Blob | string,
  quiet: boolean | undefined,
): Promise<Blob | string> {
  const document = parseDocument(typeof config === 'string' ? config : await config.text())
  const project: unknown = isMap(document.contents) ? document.get('project_id') : null
  if (document.errors.length > 0 || typeof project !== 'string') return config
  document.set('archive', await uploadDirectory(context, project, dirname(program), quiet))
  return document.toString()
}

/** Status 400 means that the body broke off on its way: the requests are well formed. */
function canRetry(error: ProblemError): boolean {
  return error.isTemporary || error.status === 400
}

function formatSummary(directory: string, files: number, bytes: number, sentBytes: number): string {
  const sent = sentBytes === 0 ? 'already on the server, nothing sent' : `sent ${formatBytes(sentBytes)}`
  return `${directory}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}; ${sent}`
}
