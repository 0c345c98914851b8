import { GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'

const whole = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const pageSize = 200
/** Older jobs are named in full: reading on and on for a typing mistake would help nobody. */
const mostPages = 10

/** A job's id from its beginning, among the caller's own jobs. A whole id may be anybody's. */
export async function findJobId(client: Pick<Client, 'jobs'>, given: string): Promise<string> {
  if (whole.test(given)) return given.toLowerCase()
  const beginning = given.toLowerCase()
  if (!/^[0-9a-f-]+$/.test(beginning)) {
    throw new GpuqError('invalid_request', `"${given}" is no job's id. \`gpuq jobs\` lists yours.`)
  }
  const found: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const { items, next } = await client.jobs.list({
      limit: pageSize,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...items.map(({ job_id }) => job_id).filter((id) => id.startsWith(beginning)))
    cursor = next
    if (cursor === null) break
  }
  const [first] = found
  if (first === undefined) {
    throw new GpuqError('not_found', `None of your jobs has an id that begins with ${given}.`)
  }
  if (found.length === 1) return first
  const some = found.slice(0, 5).join(', ')
  const more = found.length > 5 ? ', …' : ''
  throw new GpuqError(
    'conflict',
    `${found.length} of your jobs begin with ${given}: ${some}${more}. Write more of it.`,
  )
}

/** Several ids, each once, in the order they were given. */
export async function findJobIds(client: Pick<Client, 'jobs'>, given: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const one of given) ids.push(await findJobId(client, one))
  return [...new Set(ids)]
}
