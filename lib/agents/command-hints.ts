import type { Actor } from '../access/actor'
import { listEnvironments } from '../access/environments'
import { sharedDirectoryOf } from '../access/users/workspace-user'
import { defaultProject } from '../contract/access/project-kinds'
import { absolutePathsOf, findMissing, findRelative, findUnwritten } from '../contract/commands/command-paths'
import { hintOffline, networkProgramsOf } from '../contract/commands/network-programs'
import type { CheckJob } from './tool-schemas'

interface Hinted extends CheckJob {
  /** The working directory is sent later. */
  sendsDirectory?: boolean
}

/** Says what may make the command of a job fail: paths that it may not have, and programs that need the internet. */
export async function hintCommand(actor: Actor, job: Hinted): Promise<string[]> {
  return [...(await hintPaths(actor, job)), ...(await hintNetwork(actor, job))]
}

async function hintPaths(actor: Actor, job: Hinted): Promise<string[]> {
  const { command, mounts = {}, working_directory = '/work' } = job
  const shared = await sharedDirectoryOf(actor, job.project_id ?? defaultProject)
  const sent = job.archive === undefined && !job.sendsDirectory ? null : working_directory
  const provided = [shared, sent, ...Object.keys(mounts)].filter((directory) => directory !== null)
  const relative = findRelative(command)
  const missing = [...findUnwritten(command, provided), ...findMissing(absolutePathsOf(command), provided)]
  const hints: string[] = []
  if (relative !== undefined)
    hints.push(
      `"${shorten(relative)}" is not an absolute path. The command runs on another machine and starts in ${sent ?? shared ?? 'an empty directory'}: use the absolute path, as in sh /workspace/train.sh.`,
    )
  if (missing.length > 0)
    hints.push(
      `The job will not have ${listPaths(missing)}, unless the image of its environment has it. It does not see the files of your machine. It has only the files of its image${provided.map((directory) => `, and of ${directory}`).join('')}. Use the tools of \`gpuq mcp\`, which sends your working directory with the job. Or upload your files with \`gpuq push\`, name them in archive or mounts, and use their paths in the job.`,
    )
  return hints
}

const listPaths = (paths: readonly string[]) =>
  paths
    .slice(0, 5)
    .map((path) => `"${shorten(path)}"`)
    .join(', ')

const shorten = (text: string) => text.slice(0, 200)

/** Names the environments with internet access, if the command needs it and the environment of the job has none. */
async function hintNetwork(actor: Actor, { command, environment }: Hinted): Promise<string[]> {
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
