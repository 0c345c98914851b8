import { isReached, reachOf } from '../../access/restriction'
import type { Condition, Dependency } from '../../contract/config/depends-on'
import type { EndReason } from '../../contract/reasons'
import type { JobStatus } from '../../contract/status'
import type { Transaction } from '../../database/transaction'
import type { JobOwner } from '../submission/job-owner'
import { endedMembers, hasSucceeded, statusOf } from './member-counts'

/** A job or a group that others wait for. */
export interface Prerequisite {
  id: string
  isGroup: boolean
  projectId: string
  name: string | null
  /** A group that has not ended is running. */
  status: JobStatus
  hasEnded: boolean
  /** It has ended, and a job with the condition `ok` may start. */
  hasSucceeded: boolean
  /** Members of a group. */
  members: number | null
  endedMembers: number | null
}

/** A dependency, and what it names. Null: that was deleted. */
export interface Found extends Dependency {
  other: Prerequisite | null
}

/**
 * Reads jobs and groups that others wait for.
 * @param submitter leaves out what this owner or caller may not name
 */
export async function readPrerequisites(
  tx: Transaction,
  ids: readonly string[],
  submitter?: Pick<JobOwner, 'userId' | 'callerId' | 'restriction'>,
): Promise<ReadonlyMap<string, Prerequisite>> {
  const users = submitter === undefined ? null : [submitter.userId, submitter.callerId]
  const mayName = (row: string) =>
    `($2::uuid[] IS NULL OR ${row}.user_id = ANY ($2)) AND ${isReached(row, '$3', '$4')}`
  const { rows } = await tx.query<Prerequisite>({
    name: 'read-prerequisites',
    text: `SELECT o.id, false AS "isGroup", o.project_id AS "projectId", o.name, o.status,
                  o.status IN ('completed', 'failed', 'cancelled') AS "hasEnded", o.status = 'completed' AS "hasSucceeded",
                  NULL::int AS members, NULL::int AS "endedMembers"
             FROM jobs o WHERE o.id = ANY ($1::uuid[]) AND ${mayName('o')}
           UNION ALL
           SELECT g.id, true, g.project_id, g.name, ${statusOf('g')}::"JobStatus", g.ended_at IS NOT NULL, ${hasSucceeded('g')}, g.members, ${endedMembers('g')}
             FROM job_groups g WHERE g.id = ANY ($1::uuid[]) AND ${mayName('g')}`,
    values: [ids, users, ...reachOf(submitter?.restriction ?? null)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Whether a dependency is waited for, is met, or can never be met any more. What was deleted has not succeeded. */
export function stateOf({
  when,
  other,
}: {
  when: Condition
  other: Found['other']
}): 'open' | 'met' | 'failed' {
  if (other !== null && !other.hasEnded) return 'open'
  if (when === 'any') return 'met'
  return (other?.hasSucceeded ?? false) === (when === 'ok') ? 'met' : 'failed'
}

/**
 * Says for what a job or a group waits; null: for nothing. The only place that says it. What can never be met is part of it, until the leader
 * has cancelled the one that waits.
 * @param projectId the project of the one that waits: the names of other projects are not for all who see it
 */
export function describeWait(dependencies: readonly Found[], projectId: string): string | null {
  const open = dependencies.filter((one) => stateOf(one) !== 'met')
  const jobs = (title: string, isListed: (when: Condition) => boolean) => {
    const ids = open.filter(({ when, other }) => !other?.isGroup && isListed(when)).map(({ id }) => id)
    return ids.length === 0 ? [] : [`${title}: ${ids.toSorted().join(', ')}.`]
  }
  const groups = open.flatMap(({ other }) =>
    other?.isGroup
      ? [`Waits for ${titleOf(other, projectId)}: ${other.endedMembers} of ${other.members} ended.`]
      : [],
  )
  const sentences = [
    ...jobs('Not completed', (when) => when === 'ok'),
    ...jobs('Not ended', (when) => when !== 'ok'),
    ...groups,
  ]
  return sentences.length === 0 ? null : sentences.join(' ')
}

function titleOf({ id, isGroup, name, projectId }: Prerequisite, ownProjectId: string): string {
  return isGroup ? `group ${(projectId === ownProjectId && name) || id}` : `job ${id}`
}

/** Why a job or a group can never start that has this dependency, whose state is `failed`. */
export function describeFailed(
  { id, when, other }: Found,
  projectId: string,
): { reason: Extract<EndReason, 'dependency_failed' | 'dependency_completed'>; detail: string } {
  const reason = when === 'failed' ? 'dependency_completed' : 'dependency_failed'
  return { reason, detail: `The ${describeEnd(id, other, projectId)}.` }
}

/** How another job or group has ended, as `job ID has ended as failed`. */
export function describeEnd(id: string, other: Prerequisite | null, projectId: string): string {
  if (other === null) return `job or group ${id} was deleted`
  const title = titleOf(other, projectId)
  if (!other.isGroup) return `${title} has ended as ${other.status}`
  return other.hasSucceeded
    ? `${title} has ended, and no member failed or was cancelled`
    : `${title} was cancelled, or has a member that failed or was cancelled`
}
