import type { Actor } from '../access/actor'
import { listEnvironments } from '../access/environments'
import { sharedDirectoryOf } from '../access/users/workspace-user'
import { defaultProject } from '../contract/access/project-kinds'
import {
  absolutePathsOf,
  findMissing,
  findRelative,
  findUnwritten,
  startPathsOf,
} from '../contract/commands/command-paths'
import { hintOffline, networkProgramsOf } from '../contract/commands/network-programs'
import { invalidField } from '../contract/errors'
import type { CreateJob } from './tool-schemas'

type Checked = Pick<
  CreateJob,
  'command' | 'environment' | 'project_id' | 'archive' | 'working_directory' | 'mounts' | 'check_paths'
> & {
  /** The working directory is sent later. */
  sendsDirectory?: boolean
}

/**
 * Checks the paths in the command of a job before it is queued, and returns a hint about those that may be missing.
 * @throws 422 if the command cannot start: it uses a relative path, or a path that the job will not have.
 */
export async function checkPaths(actor: Actor, job: Checked): Promise<string[]> {
  const needed = startPathsOf(job.command)
  const relative = findRelative(needed)
  if (relative !== undefined) {
    const message = `"${shorten(relative)}" must be an absolute path. The command runs on another machine: use the absolute path, as in sh /workspace/train.sh. If this is not a path, move it into the script`
    throw invalidField('command', message)
  }
  return job.check_paths ? checkExistence(actor, job, needed) : []
}

/** @throws 422 for a missing path without which the command cannot start. Returns a hint about the others. */
async function checkExistence(actor: Actor, job: Checked, needed: readonly string[]): Promise<string[]> {
  const workspace = await sharedDirectoryOf(actor, job.project_id ?? defaultProject)
  const provided = [
    ...(workspace === null ? [] : [workspace]),
    ...(job.archive === undefined && !job.sendsDirectory ? [] : [job.working_directory ?? '/work']),
    ...Object.keys(job.mounts ?? {}),
  ]
  const missing = [...findMissing(needed, provided), ...findUnwritten(job.command, provided)]
  if (missing.length > 0) throw invalidField('command', describeMissing(missing, provided))
  const others = findMissing(absolutePathsOf(job.command), provided)
  return others.length === 0
    ? []
    : [
        `The job will not have ${listPaths(others)}, unless the image of its environment has it. ${describeFiles(provided)}.`,
      ]
}

function describeMissing(missing: readonly string[], provided: readonly string[]): string {
  return `the job will not have ${listPaths(missing)}, because it does not see the files of your machine. ${describeFiles(provided)}. Use the tools of \`gpuq mcp\`, which sends your working directory with the job. Or upload your files with \`gpuq push\`, name them in archive or mounts, and use their paths in the job. If the image of the environment has this path, set check_paths to false`
}

const describeFiles = (provided: readonly string[]) =>
  `It has only the files of its image${provided.map((directory) => `, and of ${directory}`).join('')}`

const listPaths = (paths: readonly string[]) =>
  paths
    .slice(0, 5)
    .map((path) => `"${shorten(path)}"`)
    .join(', ')

const shorten = (text: string) => text.slice(0, 200)

/** Names the environments with internet access, if the command of an accepted job needs it and its environment has none. */
export async function hintNetwork(
  actor: Actor,
  { command, environment }: Pick<Checked, 'command' | 'environment'>,
): Promise<string[]> {
  const programs = networkProgramsOf(command)
  if (programs.length === 0) return []
  const all = await listEnvironments(actor)
  const own = all.find(({ name, is_default }) =>
    environment === undefined ? is_default : name === environment,
  )
  if (own?.network !== 'none') return []
  const online = all.filter((one) => one.enabled && one.network === 'internet').map(({ name }) => name)
  return [hintOffline('The command', programs, { environment: own.name, online })]
}
