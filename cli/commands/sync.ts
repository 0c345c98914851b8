import { stat } from 'node:fs/promises'
import { conflict, invalidRequest } from '@/lib/contract/errors'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { showToEnd } from '../job/follow-submitted'
import { findJobId } from '../job/job-id'
import { followWithFiles } from '../sync/follow-sync'
import { createState, newState, readState } from '../sync/sync-state'

/** Brings the files that a job has changed back to its working directory on this machine, until the job ends. */
export async function sync(context: Context, given: string, { quiet }: { quiet?: boolean }): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  const known = await readState(context.env, jobId)
  const state = known ?? (await stateOf(context, jobId))
  if (known === null) await createState(context.env, state)
  return followWithFiles(context, client, state, () => showToEnd(context, client, jobId, { quiet }))
}

/** Without a saved state, a local file that differs from the job's version counts as changed. */
async function stateOf(context: Context, jobId: string) {
  const client = await context.connect()
  const { working_directory: directory } = await client.jobs.workingFiles(jobId, { after: 0 })
  if (directory === null)
    throw invalidRequest(
      'The job has no working directory. Only jobs of `gpuq run --sync` and agents have one.',
    )
  const there = await stat(directory).catch(() => null)
  if (!there?.isDirectory())
    throw conflict(`${directory}, the working directory of the job, does not exist on this machine.`)
  const { server } = await resolveConnection(context.env)
  return newState({ jobId, server, directory, shipped: {} })
}
