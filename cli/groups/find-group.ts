import { conflict, invalidRequest, notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { firstIds } from '../job/job-id'
import { readPages } from '../job/read-pages'
import { isUuid } from '../received/path-below'

const maxSearched = 1_000

/** Finds the full id of one of the caller's groups by its start. */
export async function findGroupId(client: Client, given: string): Promise<string> {
  if (isUuid(given)) return given.toLowerCase()
  const prefix = given.toLowerCase()
  if (!/^[0-9a-f-]+$/.test(prefix))
    throw invalidRequest(`"${given}" is not the id of a group. List your groups with \`gpuq groups\`.`)
  const listed = await readPages(maxSearched, (query) =>
    client.groups.list({ ...query, limit: Math.min(query.limit, 100) }),
  )
  const found = listed.map(({ group_id }) => group_id).filter((id) => id.startsWith(prefix))
  const [first] = found
  if (first === undefined)
    throw notFound(`You have no group whose id starts with ${given}. List your groups with \`gpuq groups\`.`)
  if (found.length === 1) return first
  throw conflict(
    `${found.length} of your groups start with ${given}: ${firstIds(found)}. Give a longer prefix.`,
  )
}
