import { dirname } from 'node:path'
import { isMap, parseDocument, type YAMLMap } from 'yaml'
import { selectEntrypoint } from '@/lib/contract/config/program/entrypoint'
import { notFound } from '@/lib/contract/errors'
import { uploadArchive } from '@/lib/http/client/upload-archive'
import type { Context } from '../context'
import { note } from '../job/show-job'
import { type Listed, listDirectory } from './list-directory'
import { formatBytes, Progress } from './progress'
import { sendContents } from './send-contents'

/**
 * Uploads a directory to a project, and returns the reference for the `archive` key of a config. It only sends
 * content that the server asks for. After a failure, and in a later call, it resumes with the missing
 * content.
 *
 * @param check gets the paths of the files before anything is sent. It throws if they are not what the job needs.
 * @throws GpuqError if the directory cannot be uploaded, ProblemError if the server refuses it or does not
 * answer.
 */
export async function uploadDirectory(
  context: Context,
  projectId: string,
  directory: string,
  quiet = false,
  check: (paths: readonly string[]) => void = () => {},
): Promise<string> {
  const client = await context.connect()
  const listed = await listDirectory(context, directory, await client.archives.limits(), quiet)
  check(listed.entries.map(({ path }) => path))
  return uploadListed(context, projectId, listed, quiet)
}

/** The same for a directory that has been listed. */
export async function uploadListed(
  context: Context,
  projectId: string,
  listed: Listed,
  quiet: boolean,
): Promise<string> {
  const client = await context.connect()
  const { entries, bytes, notSent } = listed
  // Also if the answer is JSON: a file that is missing in the job must not surprise.
  if (notSent !== null) await note(context, notSent)
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
  if (!quiet) await note(context, formatSummary(listed.given, entries.length, bytes, sentBytes))
  return archive
}

/** Uploads the program's directory, and returns the config with a reference to it: see {@link withDirectory}. */
export function uploadBeside(
  context: Context,
  program: string,
  config: Blob | string,
  quiet: boolean | undefined,
): Promise<Blob | string> {
  return withDirectory(context, dirname(program), config, quiet)
}

/** Uploads a directory that has the program of its job: the config's entrypoint, or a file with a usual name. */
export function uploadProgram(
  context: Context,
  directory: string,
  config: Blob | string,
  quiet: boolean | undefined,
): Promise<Blob | string> {
  return withDirectory(context, directory, config, quiet, (keys, paths) => {
    if (keys.has('command')) return
    const entrypoint = keys.get('entrypoint')
    const selected = selectEntrypoint(typeof entrypoint === 'string' ? entrypoint : undefined, paths)
    if (!('problem' in selected)) return
    const how = 'The option --entrypoint, or the key entrypoint of the config, names the file.'
    throw notFound(`Cannot run ${directory}: ${selected.problem}. ${how}`)
  })
}

/**
 * Uploads a directory to the project of a config, and returns the config with a reference to the directory. Returns
 * an invalid config unchanged: the server reports its errors.
 */
async function withDirectory(
  context: Context,
  directory: string,
  config: Blob | string,
  quiet: boolean | undefined,
  check: (keys: YAMLMap, paths: readonly string[]) => void = () => {},
): Promise<Blob | string> {
  const document = parseDocument(typeof config === 'string' ? config : await config.text())
  const { contents } = document
  const project: unknown = isMap(contents) ? contents.get('project_id') : null
  if (document.errors.length > 0 || !isMap(contents) || typeof project !== 'string') return config
  const archive = await uploadDirectory(context, project, directory, quiet, (paths) => check(contents, paths))
  document.set('archive', archive)
  return document.toString()
}

function formatSummary(directory: string, files: number, bytes: number, sentBytes: number): string {
  const sent = sentBytes === 0 ? 'already on the server, nothing sent' : `sent ${formatBytes(sentBytes)}`
  return `${directory}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}; ${sent}`
}
