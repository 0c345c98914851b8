import { defaultProject } from '@/lib/contract/access/project-kinds'
import { invalidRequest } from '@/lib/contract/errors'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { printResult, showToEnd, type WaitOptions } from '../job/follow-submitted'
import { withOptionErrors } from '../job/option-errors'
import { note } from '../job/show-job'
import { withTimeLimit } from '../job/submit-directory'
import { submitOnce } from '../job/submit-once'
import { type ConfigOptions, toConfigText } from '../job/upload-config'
import { followWithFiles } from './follow-sync'
import { resolveWorkingDirectory, shipDirectory } from './ship-directory'
import { createState, newState } from './sync-state'

/**
 * Runs a command in the current directory: the job finds it at the same path, and its changes return while it runs. Where
 * the cluster shares the directory, nothing is sent.
 */
export async function runSynced(
  context: Context,
  {
    command,
    wait = true,
    quiet = false,
    json,
    deduplicate,
    ...options
  }: ConfigOptions & Partial<WaitOptions> & { command: string },
): Promise<number> {
  if (!wait) {
    const message = '--sync brings files back until the job ends: remove --no-wait, or use --with-dir.'
    throw invalidRequest(message)
  }
  const client = await context.connect()
  const { server } = await resolveConnection(context.env)
  const directory = await resolveWorkingDirectory(context.env, '.')
  const keys = withTimeLimit(options)
  const sent = { ...keys, command, working_directory: directory }
  const check = () => withOptionErrors(() => client.jobs.check({ config: toConfigText(sent), deduplicate }))
  const project = options.project_id ?? defaultProject
  const shipped = await shipDirectory(context, project, directory, { quiet, check })
  const config = shipped.shared
    ? toConfigText({ ...keys, command: `cd ${quoted(directory)} && ${command}` })
    : toConfigText({ ...sent, archive: shipped.archive })
  const { job_id: jobId } = await withOptionErrors(() =>
    submitOnce(context, { config, wait: false, deduplicate }, quiet),
  )
  if (!quiet && !json) {
    await note(context, `job ${jobId}`)
    if (shipped.shared) await note(context, `the cluster shares ${directory}: nothing is sent`)
  }
  const show = () => (json ? printResult(context, jobId) : showToEnd(context, client, jobId, { quiet }))
  if (shipped.shared) return show()
  const state = newState({ jobId, server, directory, shipped: shipped.shipped })
  await createState(context.env, state)
  return followWithFiles(context, client, state, show)
}

/** One word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
