import { dirname } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import { uploadArchive } from '@/lib/http/client/upload-archive'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { listDirectory } from './list-directory'
import { formatBytes, Progress } from './progress'
import { sendContents } from './send-contents'

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
  const { archive, sentBytes } = await uploadArchive({
    client,
    projectId,
    entries,
    send: async (files, totalBytes) => {
      const progress = quiet ? null : new Progress(context.terminal, 'sending', totalBytes)
      const sending = { client, projectId, directory: listed.directory, progress }
      await sendContents(sending, files).finally(() => progress?.end())
    },
    wait: async (error, delayMs) => {
      if (!quiet) await note(context, `${error.message} Retrying.`)
      await context.sleep(delayMs)
    },
  })
  if (!quiet) await note(context, formatSummary(directory, entries.length, bytes, sentBytes))
  return archive
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

function formatSummary(directory: string, files: number, bytes: number, sentBytes: number): string {
  const sent = sentBytes === 0 ? 'already on the server, nothing sent' : `sent ${formatBytes(sentBytes)}`
  return `${directory}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}; ${sent}`
}
