import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireScope } from '../access/actor'
import { recordAudit } from '../access/audit'
import { readEffectiveLimits } from '../access/role-limits'
import { readGroupBudget } from '../budgets/read-budgets'
import type { AuditAction } from '../contract/access/audit-actions'
import { describeGpuHours } from '../contract/access/gpu-hours'
import { conflict, forbidden, invalidField } from '../contract/errors'
import { wakeLeader } from '../database/notify'
import { oneRow, type Transaction, transaction } from '../database/transaction'
import { mayChange } from '../jobs/read/job-visibility'
import { lockUsers } from '../jobs/submission/submission-limits'
import { insertMembers } from './accept-group'
import type { extendGroupSchema, GroupDetail } from './contract'
import { additionalMembers, expandMembers, type Member } from './contract-members'
import type { Overrides } from './contract-wave'
import { checkMembers, costWithin, requireFewMembers, requireHeldAllowance } from './decide-group'
import type { GroupConfig } from './group-config'
import { findGroup, noSuchGroup, readGroup } from './groups'
import { configOf, type LockedGroup, lockGroup, notAllowed, ownerOf } from './release-members'

/**
 * Runs the members of a group again whose job failed: each gets a new job, and the group ends again. Only failed members are
 * replaced, so a repeated call changes nothing.
 * @throws 403 for another user's group; 409 for a cancelled one; as a submission, if its members could not be submitted now.
 */
export async function rerunFailed(actor: Actor, id: string): Promise<GroupDetail> {
  return continueGroup(actor, id, 'group_rerun', async (tx, group) => {
    const { rows } = await tx.query<FailedMember & { existing: boolean }>(
      `SELECT m.state = 'existing' AS existing, m.index, m.job_id AS "jobId", m.parameters, m.overrides, m.repeat FROM group_members m JOIN jobs j ON j.id = m.job_id
        WHERE m.group_id = $1 AND j.status = 'failed' ORDER BY m.index`,
      [group.id],
    )
    const own = rows.filter(({ existing }) => !existing)
    if (own.length === 0 && rows.length > 0)
      throw conflict(
        'The members that failed are jobs of earlier waves: run the failed members of these waves again.',
      )
    const members = own.map(({ overrides, ...member }) => ({ ...member, ...(overrides && { overrides }) }))
    return { members, counted: members, config: configOf(group), hold: () => replaceJobs(tx, group.id, own) }
  })
}

interface FailedMember extends Omit<Member, 'overrides'> {
  jobId: string
  overrides: Overrides | null
}

/**
 * Adds members to a group: more combinations of a random search, or more repeats of each. The numbers are those that the group has
 * afterwards, so a repeated call changes nothing.
 * @throws 422 for a group that does not have so few or that is no random search; otherwise as {@link rerunFailed}.
 */
export async function extendGroup(
  actor: Actor,
  id: string,
  given: z.output<typeof extendGroupSchema>,
): Promise<GroupDetail> {
  return continueGroup(actor, id, 'group_extended', async (tx, group) => {
    if (group.kind === 'wave')
      throw conflict('The members of a wave are those that it was submitted with. Submit another wave.')
    const known = configOf(group)
    const config = extendedConfig(known, given)
    const members = additionalMembers(config, { members: group.members, repeat: known.repeat })
    requireFewMembers(group.members + members.length, given.samples === undefined ? 'repeat' : 'samples')
    const { members: counted } = expandMembers({ ...config, parallel: undefined })
    return { members, counted, config, hold: () => addMembers(tx, group.id, members, config) }
  })
}

function extendedConfig(config: GroupConfig, given: z.output<typeof extendGroupSchema>): GroupConfig {
  if (given.samples === undefined && given.repeat === undefined)
    throw invalidField(
      'samples',
      'is missing: write how many samples the group has afterwards, or as repeat how often each combination runs',
    )
  const { samples = config.samples, repeat = config.repeat } = given
  if (samples !== undefined && config.samples === undefined) {
    const what = config.array === undefined ? 'each combination of its matrix' : 'the numbers of its array'
    throw invalidField(
      'samples',
      `is for a random search, and this group runs ${what}: submit another group with the values that are missing`,
    )
  }
  for (const [key, asked, most] of [
    ['samples', samples ?? 0, config.samples ?? 0],
    ['repeat', repeat, config.repeat],
  ] as const) {
    if (asked < most)
      throw invalidField(key, `is less than the ${most} that the group has: write how many it has afterwards`)
  }
  return { ...config, samples, repeat }
}

async function addMembers(
  tx: Transaction,
  groupId: string,
  members: readonly Member[],
  { samples, repeat }: GroupConfig,
): Promise<void> {
  await insertMembers(
    tx,
    groupId,
    members.map((member) => ({ ...member, jobId: uuidv7(), existing: false })),
  )
  const bytes = members.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one.parameters)), 0)
  await tx.query(
    `UPDATE job_groups SET members = members + $2, spec = spec || $3, record_bytes = record_bytes + $4 + row_bytes() * $2
      WHERE id = $1`,
    [groupId, members.length, JSON.stringify({ samples, repeat }), bytes],
  )
}

/**
 * Gives members the ids of new jobs, also where a later wave has the same job by its key. What their group compared begins again.
 */
async function replaceJobs(
  tx: Transaction,
  groupId: string,
  members: readonly FailedMember[],
): Promise<void> {
  const indexes = members.map(({ index }) => index)
  const before = members.map(({ jobId }) => jobId)
  const after = members.map(() => uuidv7())
  await tx.query(
    'INSERT INTO replaced_jobs (job_id, group_id, index) SELECT j.id, $1, j.index FROM unnest($2::uuid[], $3::int[]) AS j (id, index)',
    [groupId, before, indexes],
  )
  await tx.query('DELETE FROM group_rungs WHERE group_id = $1 AND index = ANY ($2::int[])', [
    groupId,
    indexes,
  ])
  await tx.query(
    `UPDATE group_members m SET job_id = j.after, state = CASE WHEN m.group_id = $1 THEN 'held' ELSE m.state END,
            stop_reason = NULL, curve_read = false
       FROM unnest($2::uuid[], $3::uuid[]) AS j (before, after) WHERE m.job_id = j.before`,
    [groupId, before, after],
  )
  await tx.query(
    `UPDATE idempotency_keys k SET job_id = j.after FROM unnest($1::uuid[], $2::uuid[]) AS j (before, after) WHERE k.job_id = j.before`,
    [before, after],
  )
  // A later wave waits for the new jobs too, and ends again with them.
  await tx.query(
    `UPDATE job_groups SET ended_at = NULL, final_counts = NULL
      WHERE ended_at IS NOT NULL AND cancelled_at IS NULL
        AND id IN (SELECT group_id FROM group_members WHERE job_id = ANY ($2::uuid[]) AND group_id <> $1)`,
    [groupId, after],
  )
}

/** What a group holds from now on, besides the members that it holds already. */
interface Continuation {
  members: readonly Member[]
  /** Those whose cost decides whether an agent must leave it to a person. */
  counted: readonly Member[]
  config: GroupConfig
  hold(): Promise<void>
}

async function continueGroup(
  actor: Actor,
  id: string,
  action: AuditAction,
  plan: (tx: Transaction, group: LockedGroup) => Promise<Continuation>,
): Promise<GroupDetail> {
  requireScope(actor, 'submit')
  const { group_id: groupId, owner_id: userId } = await findGroup(actor, id)
  if (userId !== actor.userId && !mayChange(actor, { userId }))
    throw forbidden(
      'You may read and cancel this group. Only its user and admins may run more of its members.',
    )
  const budget = await readGroupBudget(groupId)
  await transaction(async (tx) => {
    const group = await lockGroup(tx, groupId)
    if (!group) throw noSuchGroup()
    if (group.cancelled_at !== null)
      throw conflict('The group was cancelled, so it starts no members. Submit it again.')
    const continuation = await plan(tx, group)
    const { members, hold } = continuation
    if (members.length === 0) return
    // A leader would cancel the group at once, which nobody could undo.
    if (group.token_stopped)
      throw conflict(
        'The token of the group was stopped with its jobs. Submit the group again with another token.',
      )
    if (group.awaits_approval)
      throw conflict('The group waits for an approval of what it may cost. Approve or refuse it first.')
    if (budget !== null && budget.left_gpu_hours <= 0)
      throw conflict(
        `The group has no GPU hours left. ${budget.sentence} Submit another group for these members.`,
      )
    const { code, archiveId } = await requireCanContinue(tx, actor, group, continuation)
    await hold()
    await tx.query(
      `UPDATE job_groups SET held = held + $2, code = $3, archive_id = $4, problem = NULL, retry_at = now(), ended_at = NULL,
              final_counts = NULL WHERE id = $1`,
      [groupId, members.length, code, archiveId],
    )
    const detail = { members: members.length }
    await recordAudit(tx, { actorId: actor.userId, action, target: groupId, detail })
  })
  wakeLeader()
  return readGroup(actor, id)
}

/** Finds what the members need. A group that holds none has neither its program nor a hold on its directory. */
async function requireCanContinue(
  tx: Transaction,
  { restriction }: Actor,
  group: LockedGroup,
  { members, counted, config }: Continuation,
): Promise<{ code: Buffer; archiveId: string | null }> {
  if (!group.allowed) throw forbidden(`The group cannot start members. ${notAllowed}`)
  await lockUsers(tx, [group.user_id])
  await requireHeldAllowance(tx, group.user_id, members.length)
  const { code, lost } = await oneRow<{ code: Buffer; lost: boolean }>(
    tx,
    `SELECT coalesce(nullif(g.code, ''), (SELECT p.content FROM jobs j JOIN programs p ON p.hash = j.program_hash
                                          WHERE j.group_id = g.id LIMIT 1), '') AS code,
            g.held = 0 AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.group_id = g.id
                                          AND (j.command IS NOT NULL OR j.files_deleted IS DISTINCT FROM 'on_request')) AS lost
       FROM job_groups g WHERE g.id = $1`,
    [group.id],
  )
  if (code.length === 0 && lost)
    throw conflict('The program of the group was deleted with the files of its jobs. Submit the group again.')
  const limits = await readEffectiveLimits(tx, group, group.project_limits)
  const { hoursToApprove } = costWithin(config, counted, limits, restriction)
  if (hoursToApprove !== null)
    throw forbidden(
      `These members may cost ${describeGpuHours(Number(hoursToApprove.toPrecision(3)))}, which a person must approve. Ask the person who made this token to run them, on the page of the group or with gpuq group, or submit them as another group.`,
    )
  const job = await checkMembers(tx, {
    owner: ownerOf(group),
    limits,
    request: { code, runId: null, config, bodyHash: group.body_hash, idempotencyKey: null },
    // Those of a wave are checked once for all their repeats.
    members: members.map((member) => ({ ...member, repeat: 0 })),
  })
  return { code, archiveId: job?.archive_id ?? null }
}
