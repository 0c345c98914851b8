import { isFinal } from '@/lib/contract/status'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Client } from '@/lib/http/client/client'
import type { Context } from '../context'
import { toShellLine } from '../declare/values'
import { exitCodes } from '../job/exit-code'
import { note } from '../job/show-job'
import { JobSync } from './job-sync'
import { removeState, type SyncState, saveState } from './sync-state'

/** Returns the synchronization of a job's files, which saves its progress and prints what it cannot write. */
export function openSync(context: Context, client: Client, state: SyncState, signal: AbortSignal): JobSync {
  return new JobSync({
    client,
    state,
    save: (changed) => saveState(context.env, changed),
    report: (message) => note(context, message),
    signal,
  })
}

/**
 * Brings the files of a job back while `show` shows the job. Waits for the last ones if the job has ended, and otherwise
 * says how to continue.
 * @returns the exit code of `show`; if that is a success and the last files did not return, a failure.
 */
export async function followWithFiles(
  context: Context,
  client: Client,
  state: SyncState,
  show: () => Promise<number>,
): Promise<number> {
  const { jobId, into } = state
  const left = new AbortController()
  const syncing = openSync(context, client, state, left.signal)
    .run()
    .catch(async (error: unknown) => {
      if (left.signal.aborted) return false
      await note(
        context,
        `The files of the job do not return: ${error instanceof Error ? error.message : error}`,
      )
      return false
    })
  let exitCode: number
  try {
    exitCode = await show()
    const hasEnded = isFinal((await client.jobs.get(jobId)).status)
    if (!hasEnded) left.abort()
  } catch (error) {
    left.abort()
    throw error
  } finally {
    await syncing
  }
  if (await syncing) {
    await removeState(context.env, jobId, into)
    return exitCode
  }
  const command = toShellLine(['gpuq', 'sync', jobId, ...(into === undefined ? [] : ['--into', into])])
  await note(context, `Bring the other files of the job back with \`${visibleText(command, 1000)}\`.`)
  return exitCode === exitCodes.ok && !left.signal.aborted ? exitCodes.failed : exitCode
}
