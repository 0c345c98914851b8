import { conflict, invalidRequest, notFound } from '@/lib/contract/errors'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import type { Context } from '../context'
import { isUuid } from '../received/path-below'
import { readPages } from './read-pages'

/** Older jobs need the full id: a longer search would not help after a typing mistake. */
const maxSearched = 2_000

/** Finds the full id of one of the caller's jobs by its start. A full id may belong to any user. */
export async function findJobId(client: Pick<JobsClient, 'jobs'>, given: string): Promise<string> {
  if (isUuid(given)) return given.toLowerCase()
  const prefix = given.toLowerCase()
  if (!/^[0-9a-f-]+$/.test(prefix)) {
    throw invalidRequest(`"${given}" is not a job id. List your jobs with \`gpuq jobs\`.`)
  }
  const jobs = await readPages(maxSearched, (query) => client.jobs.list(query))
  const found = jobs.map(({ job_id }) => job_id).filter((id) => id.startsWith(prefix))
  const [first] = found
  if (first === undefined) {
    throw notFound(
      `You have no job whose id starts with ${given}. List your jobs with \`gpuq jobs\`. A member of a group needs its whole id, which \`gpuq group ID members\` shows.`,
    )
  }
  if (found.length === 1) return first
  throw conflict(
    `${found.length} of your job ids start with ${given}: ${firstIds(found)}. Give a longer prefix.`,
  )
}

const shownIds = 5

/** Lists the first ids, and marks that there are more. */
export function firstIds(ids: readonly string[]): string {
  return ids.slice(0, shownIds).join(', ') + (ids.length > shownIds ? ', …' : '')
}

/** Connects to the server and finds the full id of a job. */
export async function findJob(
  context: Context,
  given: string,
): Promise<{ client: JobsClient; jobId: string }> {
  const client = await context.connectToJobs()
  return { client, jobId: await findJobId(client, given) }
}

/** Finds several ids. Each appears once, in the given order. */
export async function findJobIds(
  client: Pick<JobsClient, 'jobs'>,
  given: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const one of given) ids.push(await findJobId(client, one))
  return [...new Set(ids)]
}
