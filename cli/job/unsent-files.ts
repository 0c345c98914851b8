import { stat } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { defaultProject } from '@/lib/contract/access/project-kinds'
import { relativeNamesOf } from '@/lib/contract/commands/command-paths'
import type { Context } from '../context'
import { note } from './show-job'
import type { ConfigOptions } from './upload-config'

/** A longer list of names was not typed by a person. */
const maxChecked = 200
const maxNamed = 3

/**
 * The files of a directory that a command names. The name of a directory counts only with a slash: without one, a word may mean
 * anything.
 */
export async function findNamedFiles(command: string, directory: string): Promise<string[]> {
  const names = relativeNamesOf(command).slice(0, maxChecked)
  const found = await Promise.all(names.map((name) => isFileIn(directory, name)))
  return names.filter((_, at) => found[at])
}

async function isFileIn(directory: string, name: string): Promise<boolean> {
  if (/^\.{1,2}(\/|$)/.test(normalize(name))) return false
  const stats = await stat(join(directory, name)).catch(() => null)
  return stats !== null && (stats.isFile() || (name.includes('/') && stats.isDirectory()))
}

/**
 * Says which files of the current directory a command names, if its job gets no directory.
 * @param how what to do so that they are sent: a sentence.
 */
export async function hintUnsent(
  context: Context,
  command: string,
  { archive, project_id }: ConfigOptions,
  how: string,
): Promise<void> {
  if (archive !== undefined) return
  const directory = process.cwd()
  const found = await findNamedFiles(command, directory)
  if (found.length === 0 || (await isStartOf(context, project_id ?? defaultProject, directory))) return
  const more = found.length > maxNamed ? ` and ${found.length - maxNamed} more` : ''
  const [are, them] = found.length === 1 ? ['is', 'it'] : ['are', 'them']
  await note(
    context,
    `${found.slice(0, maxNamed).join(', ')}${more} ${are} in this directory, but not sent with the command, so the job will not find ${them}. ${how}`,
  )
}

/** Whether the commands of a project start in this directory, which the nodes share with this machine. */
async function isStartOf(context: Context, projectId: string, directory: string): Promise<boolean> {
  const client = await context.connect()
  return client.archives.limits({ project_id: projectId }).then(
    ({ shared_directory: shared }) => shared === directory,
    // The submission says what is wrong.
    () => false,
  )
}
