import type { Actor } from '../../access/actor'
import { requireHostFiles } from '../../access/users/host-files'
import { requireMaySubmitFor } from '../../access/users/submission-user'
import type { DirectoryUpload } from '../../archives/unpack/directory-upload'
import type { JobConfig } from '../../contract/config/config'
import { forbidden, invalidField } from '../../contract/errors'
import { refuseAgentKeys } from '../config/agent-limits'
import { requireCapabilities } from '../config/capabilities'
import type { Submission } from './insert-job'
import { withModelRequirements } from './model-requirements'

/** A submission as an upload, the queue API or a tool for agents has read it. */
export interface JobRequest extends Submission {
  /** The handle of the owner of the job, for admins; left out: the caller. */
  user?: string | undefined
  /** The files that came with it. */
  directory?: DirectoryUpload | null
}

/**
 * Checks a request as far as the jobs, projects and limits of its owner do not matter.
 * @returns the submission, with the GPUs that a named model needs.
 * @throws 403 for another user; 422 for none or two programs, for what this installation cannot do, and for files of the machine.
 */
export async function checkRequest(
  actor: Actor,
  { user, directory = null, ...submission }: JobRequest,
  isDryRun = false,
): Promise<Submission> {
  const { config } = submission
  requireOneProgram(submission, directory, isDryRun)
  requireOwnName(actor, config)
  refuseEntryKeys(config)
  requireMaySubmitFor(actor, user)
  refuseAgentKeys(config, actor.restriction)
  await requireCapabilities(config)
  await requireHostFiles(actor, config)
  return { ...submission, config: await withModelRequirements(config) }
}

/** @throws 403 if the config names another user as its sender. */
export function requireOwnName(
  { handle }: Pick<Actor, 'handle'>,
  { user_id }: Pick<JobConfig, 'user_id'>,
): void {
  if (user_id !== undefined && user_id.toLowerCase() !== handle.toLowerCase())
    throw forbidden('Token does not belong to specified user_id')
}

/** @throws 422 for a key that only entries of competitions have. */
function refuseEntryKeys({ phase, rehearse }: Pick<JobConfig, 'phase' | 'rehearse'>): void {
  if (phase === undefined && !rehearse) return
  throw invalidField(
    phase === undefined ? 'rehearse' : 'phase',
    'is only for entries, and competition_id names no competition that you have joined: remove this key, or join it',
  )
}

/** A job runs an uploaded program, a file of its directory, or a command. A dry run may come before the program. */
function requireOneProgram(
  { code, config: { command, archive } }: Submission,
  directory: DirectoryUpload | null,
  isDryRun: boolean,
): void {
  const part = directory?.part ?? null
  if (part !== null && archive !== undefined) {
    const message = `the upload has a directory in the part ${part}: omit this key, or the part`
    throw invalidField('archive', message)
  }
  const hasCode = code.length > 0
  if (!hasCode && command === undefined && part === null && archive === undefined && !isDryRun) {
    const message = 'is missing: add -F "code=@solution.py"'
    throw invalidField('code', message, `The part code ${message}.`)
  }
  if (!hasCode || command === undefined) return
  const message =
    'a job runs either a command or a program: omit this key to run solution.py, or omit the part code to run the command. A command finds the files of a directory, or of -F "files=@train.py"'
  throw invalidField('command', message)
}
