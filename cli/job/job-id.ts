import { GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'

const whole = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const pageSize = 200
/**
 * How many pages to search. Older jobs need the full id: a longer search would not help after a typing
 * mistake.
 */
const maxPages = 10

/** Finds the full id of one of the caller's jobs by its start. A full id may belong to any user. */
export async function findJobId(client: Pick<Client, 'jobs'>, given: string): Promise<string> {
  if (whole.test(given)) return given.toLowerCase()
  const prefix = given.toLowerCase()
  if (!/^[0-9a-f-]+$/.test(prefix)) {
    throw new GpuqError('invalid_request', `"${given}" is not a job id. List your jobs with \`gpuq jobs\`.`)
  }
  const found: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const { items, next } = await client.jobs.list({
      limit: pageSize,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...items.map(({ job_id }) => job_id).filter((id) => id.startsWith(prefix)))
    cursor = next
    if (cursor === null) break
  }
  const [first] = found
  if (first === undefined) {
    throw new GpuqError(
      'not_found',
      `You have no job whose id starts with ${given}. List your jobs with \`gpuq jobs\`.`,
    )
  }
  if (found.length === 1) return first
  const some = found.slice(0, 5).join(', ')
  const more = found.length > 5 ? ', …' : ''
  throw new GpuqError(
    'conflict',
    `${found.length} of your job ids start with ${given}: ${some}${more}. Give a longer prefix.`,
  )
}

/** Finds several ids. Each appears once, in the given order. */
export async function findJobIds(client: Pick<Client, 'jobs'>, given: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of given) ids.push(await findJobId(client, one))
  return [...new Set(ids)]
}
