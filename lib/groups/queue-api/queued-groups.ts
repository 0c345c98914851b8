import type { Actor } from '../../access/actor'
import { expectationOf } from '../../cluster/placement/forecast'
import { conflict, type GpuqError, invalidField } from '../../contract/errors'
import { leaveOutNulls } from '../../contract/leave-out-nulls'
import { parseInput } from '../../contract/parse-input'
import { database } from '../../database/client'
import { findRow } from '../../database/transaction'
import { isPaused } from '../../jobs/dependencies/member-counts'
import { toExpectedStart } from '../../queue/expected-start'
import type { QueuedKind } from '../../queue/queued-kind'
import { acceptGroup } from '../accept-group'
import { cancelGroup } from '../cancel-group'
import { checkGroup } from '../check-group'
import type { GroupDetail, GroupDryRun } from '../contract'
import { type QueueGroup, queueGroupSubmitSchema } from '../contract-queue'
import { type GroupRequest, toGroupRequest } from '../group-config'
import { isVisibleGroup, readGroup } from '../groups'

/** Groups in the queue API. */
export const queuedGroups: QueuedKind<QueueGroup, GroupDryRun> = {
  takes: (body) =>
    Object.entries(body).some(
      ([key, value]) => ['matrix', 'array', 'members'].includes(key) && value !== null,
    ),

  async submit(actor, body, { idempotencyKey, deduplicate }) {
    if (deduplicate)
      throw invalidField(
        'deduplicate',
        'is for one job: send an Idempotency-Key, which makes a repeated request the same group',
      )
    const { id, repeated, hints, headers } = await acceptGroup(actor, toRequest(actor, body, idempotencyKey))
    return { item: { ...(await toQueueGroup(await readGroup(actor, id))), hints }, isNew: !repeated, headers }
  },

  check: (actor, body) => checkGroup(actor, toRequest(actor, body, null)),

  async read(actor, id) {
    return (await isVisibleGroup(actor, id)) ? toQueueGroup(await readGroup(actor, id)) : null
  },

  async cancel(actor, id) {
    if (!(await isVisibleGroup(actor, id))) return null
    // Its last members may still be ending. Nothing of it starts any more.
    return { ...(await toQueueGroup(await cancelGroup(actor, id))), status: 'cancelled' }
  },

  async refuseChange(actor, id) {
    return (await isVisibleGroup(actor, id)) ? noJob(id) : null
  },
}

const noJob = (id: string): GpuqError =>
  conflict(
    `This is the id of a group, and only jobs have a priority and can be held. GET /api/groups/${id}/members lists its jobs; POST /api/groups/${id}/cancel ends all of them.`,
  )

/** For forecasts of members without an estimate. */
const assumedDurationS = 3600

function toRequest(actor: Actor, body: object, idempotencyKey: string | null): GroupRequest {
  const { user, project_id, estimated_duration_seconds: estimate } = parseInput(queueGroupSubmitSchema, body)
  if (user !== undefined && user.toLowerCase() !== actor.handle.toLowerCase())
    throw invalidField('user', 'is another user, and a group belongs to its sender: leave it out')
  // The group parses the keys again, as those of its config.
  const {
    user: _,
    run_id,
    estimated_duration_seconds: __,
    ...given
  } = leaveOutNulls(queueGroupSubmitSchema, body) as Record<string, unknown>
  const config = {
    name: run_id,
    ...given,
    project_id,
    expected_time: estimate ?? assumedDurationS,
    competition_id: 'queue',
  }
  return toGroupRequest({ config }, idempotencyKey, [])
}

async function toQueueGroup(group: GroupDetail): Promise<QueueGroup> {
  const { group_id, name, user_id, project_id, members, parallel, counts, problem, created_at, ended_at } =
    group
  const waiting = counts.pending > 0 ? await findFirstWaiting(group_id) : null
  const expected = waiting === null ? undefined : await expectationOf(waiting)
  return {
    job_id: group_id,
    group_id,
    run_id: name,
    user: user_id,
    project_id,
    status: statusInQueue(group),
    position: expected?.position ?? null,
    ...toExpectedStart(expected),
    members,
    parallel,
    counts,
    reason_text: problem,
    submitted_at: created_at,
    completed_at: ended_at,
  }
}

function statusInQueue({ status, counts }: GroupDetail): QueueGroup['status'] {
  const { held, paused, pending, running, completed, failed } = counts
  if (status !== 'running' || paused + running + completed + failed > 0) return status
  // The leader ends a group a moment after its last member.
  return held + pending > 0 ? 'queued' : 'cancelled'
}

/** A paused member has no place in the queue. */
async function findFirstWaiting(groupId: string): Promise<string | null> {
  const row = await findRow<{ id: string }>(
    database().pool,
    `SELECT id FROM jobs WHERE group_id = $1 AND status = 'pending' AND NOT ${isPaused('jobs')} ORDER BY id LIMIT 1`,
    [groupId],
  )
  return row?.id ?? null
}
