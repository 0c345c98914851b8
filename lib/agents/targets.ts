import { z } from 'zod'
import type { Actor } from '../access/actor'
import { quoteValue } from '../contract/diagnosis/quote-value'
import { conflict, invalidField, notFound } from '../contract/errors'
import { database } from '../database/client'
import { visibilityFilter } from '../jobs/read/job-visibility'

/** What an id of a call names: a job, a member that has no job, because its group holds it or held it, or a group. */
export interface Target {
  id: string
  kind: 'job' | 'member' | 'group'
  status: string
  ended: boolean
}

/** Finds what the actor may see of some ids, in their order. */
async function readTargets(actor: Actor, ids: readonly string[]): Promise<Target[]> {
  const { sql, values } = visibilityFilter(actor, 2)
  // The conditions on visibility need only the user and the project, which groups have too.
  const { rows } = await database().pool.query<Target>(
    `SELECT j.id, 'job' AS kind, j.status::text AS status, j.ended_at IS NOT NULL AS ended FROM jobs j
      WHERE j.id = ANY ($1::uuid[]) AND ${sql}
     UNION ALL
     SELECT m.job_id, 'member', m.state::text, m.state <> 'held' FROM group_members m JOIN job_groups j ON j.id = m.group_id
      WHERE m.job_id = ANY ($1::uuid[]) AND m.state <> 'existing' AND ${sql} AND NOT EXISTS (SELECT FROM jobs o WHERE o.id = m.job_id)
     UNION ALL
     SELECT j.id, 'group', 'running', j.ended_at IS NOT NULL FROM job_groups j WHERE j.id = ANY ($1::uuid[]) AND ${sql}`,
    [ids, ...values],
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => known.get(id) ?? [])
}

/** Finds what an id names; null: nothing that the actor may see. */
export async function findTarget(actor: Actor, id: string): Promise<Target | null> {
  const [target] = await readTargets(actor, validIds([id]))
  return target ?? null
}

/** Finds what each id names, each once. @throws 404 that names those of which the actor may see nothing. */
export async function findTargets(actor: Actor, ids: readonly string[]): Promise<Target[]> {
  const targets = await readTargets(actor, validIds(ids))
  const known = new Set(targets.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(id.toLowerCase()))
  if (unknown.length === 0) return targets
  const named = unknown.slice(0, 5).map((id) => quoteValue(id, 40))
  const more = unknown.length > named.length ? ` and ${unknown.length - named.length} more` : ''
  throw notFound(
    `You have no job or group with the id ${named.join(', ')}${more}. ListGPUJobs lists your jobs and groups.`,
  )
}

/** Reads again what was found before. What was deleted meanwhile is not among it. */
export const refreshTargets = (actor: Actor, targets: readonly Target[]) =>
  readTargets(
    actor,
    targets.map(({ id }) => id),
  )

const validIds = (ids: readonly string[]) => [
  ...new Set(ids.filter((id) => z.uuid().safeParse(id).success).map((id) => id.toLowerCase())),
]

/** @throws 422 if the id is that of a group, 409 if its job does not exist yet or any more; a tool says that there is none at all. */
export async function requireJob(actor: Actor, id: string): Promise<void> {
  const target = await findTarget(actor, id)
  if (target?.kind === 'group')
    throw invalidField(
      'job_id',
      'is the id of a group: name one of its members. ListGPUJobs with group_id lists them, and ViewGPUJob shows the group.',
    )
  if (target?.kind === 'member')
    throw conflict(
      target.ended
        ? 'This member of a group has no job: it was cancelled before it started, or its job was deleted. ListGPUJobs with group_id shows the group.'
        : 'The group of this job has not put it into the queue yet, so it has printed nothing. Call WaitForGPUJobs.',
    )
}
