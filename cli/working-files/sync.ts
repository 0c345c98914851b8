import { visibleText } from '@/lib/contract/text/sanitize-text'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { showToEnd } from '../job/follow-submitted'
import { findJobId } from '../job/job-id'
import { requireOwnJob } from '../job/own-job'
import { note } from '../job/show-job'
import { followWithFiles } from './follow-sync'
import { chooseSyncPlace } from './sync-place'
import { createState, newState, readState } from './sync-state'

interface SyncOptions {
  /** The directory to bring the files to, instead of the working directory of the job. */
  into?: string
  quiet?: boolean
}

const foreign = 'only its owner can bring its files back. Save its results with `gpuq artifacts ID -o DIR`.'

/** Brings the files that a job has changed back to a directory on this machine, until the job ends. */
export async function sync(context: Context, given: string, { into, quiet }: SyncOptions): Promise<number> {
  const client = await context.connect()
  const jobId = await findJobId(client, given)
  await requireOwnJob(client, jobId, foreign)
  const { server } = await resolveConnection(context.env)
  const read = async (into?: string) => {
    const saved = await readState(context.env, jobId, into)
    return saved?.server === server ? saved : null
  }
  const atWork = await read()
  const place = atWork ?? (await client.jobs.workingFiles(jobId, { after: 0 }))
  const said = 'directory' in place ? place.directory : place.working_directory
  const directory = await chooseSyncPlace(context.env, { directory: said, into, jobId })
  await note(context, `The files of the job return to ${visibleText(directory, 500)}`)
  // The state of another directory must not replace what is known of the working directory.
  const elsewhere = into === undefined || atWork?.directory === directory ? undefined : directory
  const known = elsewhere === undefined ? atWork : await read(elsewhere)
  // Without a saved state, a local file that differs from the job's version counts as changed.
  const isSame = known?.directory === directory
  const state = isSame ? known : newState({ jobId, server, directory, into: elsewhere, shipped: {} })
  if (!isSame) await createState(context.env, state)
  return followWithFiles(context, client, state, () => showToEnd(context, client, jobId, { quiet }))
}
