import type { Actor } from '../access/actor'
import { findEnvironment } from '../access/environments'
import { type Limits, limitsOf } from '../access/limits'
import { restrictionOf } from '../access/restriction'
import { readEffectiveLimits } from '../access/role-limits'
import { once } from '../async/once'
import { describeGpuHours } from '../contract/access/gpu-hours'
import type { AgentLimits } from '../contract/access/restriction'
import { describeIssue } from '../contract/config/issues'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { wakeLeader } from '../database/notify'
import { findRow, oneRow, type Transaction, transaction } from '../database/transaction'
import { readRegisteredNodes } from '../jobs/config/registered-nodes'
import { countsOf, existingEnded, isPaused } from '../jobs/dependencies/member-counts'
import { notifyQueue } from '../jobs/state/announce'
import { withProgram } from '../jobs/state/submit'
import { checkJob, requireAllowance } from '../jobs/submission/check-job'
import { insertJobs, type JobRow } from '../jobs/submission/insert-job'
import type { JobOwner } from '../jobs/submission/job-owner'
import { lockQueue } from '../jobs/submission/queue-capacity'
import { countFreePlaces, lockUsers } from '../jobs/submission/submission-limits'
import { logger } from '../logger'
import { type Group, storedGroupSchema } from './contract'
import { configOfMember } from './contract-member-config'
import type { Parameters } from './contract-parameters'
import type { Overrides } from './contract-wave'
import { type GroupConfig, jobConfigOf } from './group-config'
import { cancelHeld, settleGroup } from './group-dependencies'
import { inMember, MemberError } from './member-error'
import { endPaused, mayResume, resumeMembers } from './stopping/paused-members'

/** Few, so that other submissions never wait long for the lock on the queue. */
const maxReleased = 50
const maxCodeBytes = 2 * 1024 * 1024
/** Members of a wave that cannot start now, such as those whose environment was disabled, before those that enter the queue. */
const maxPassedOver = 50
const noPlace =
  'Its user has as many active or waiting jobs as the limits max_active_jobs and max_waiting_jobs permit. The next member follows when one has ended.'
/** After a refusal, such as a full queue or a limit that was lowered. */
const retryAfterS = 10

/**
 * Puts members of groups into the queue as far as the places of their group, the limits of its user and the size of the queue
 * permit: first those that it has paused and that are among the best by now. Ends groups whose members have all ended. The leader calls
 * it after each change of the queue; a second call at the same time changes nothing. Returns whether more can follow at once.
 */
export async function releaseMembers(): Promise<boolean> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'groups-to-release',
    // The live jobs of a group are few, and have an index.
    text: `SELECT g.id FROM job_groups g CROSS JOIN LATERAL (
             SELECT count(*) FILTER (WHERE NOT ${isPaused('j')}) AS active, count(*) FILTER (WHERE ${isPaused('j')}) AS paused
               FROM jobs j WHERE j.group_id = g.id AND j.status IN ('pending', 'scheduled', 'running')) live
            WHERE g.ended_at IS NULL AND g.retry_at <= now()
              AND CASE WHEN g.held > 0 OR live.paused > 0 THEN live.active < g.parallel
                       ELSE live.active = 0 AND (g.cancelled_at IS NOT NULL OR ${existingEnded('g')}) END
            ORDER BY g.created_at, g.id`,
  })
  let released = 0
  let isMore = false
  for (const { id } of rows) {
    try {
      const group = await withProgram(() => transaction((tx) => releaseGroup(tx, id)))
      released += group
      isMore ||= group > 0
    } catch (error) {
      // The groups after it do not wait for it.
      logger.error({ err: error, group: id }, 'could not put members of a group into the queue, retrying')
    }
  }
  if (released > 0) wakeLeader()
  return isMore
}

/** The members of a group that have not ended. */
interface LiveCounts {
  /** Those that wait or run. */
  active: number
  paused: number
}

export interface LockedGroup {
  id: string
  user_id: string
  project_id: string
  handle: string
  role: Actor['role']
  limits: Limits
  project_limits: Limits
  /** The user may still submit to the project. */
  allowed: boolean
  /** A person must approve it before its members may start. */
  awaits_approval: boolean
  spec: unknown
  command: string | null
  class_token: boolean
  token_id: string | null
  agent_limits: AgentLimits | null
  /** The token was stopped with all that it submitted. */
  token_stopped: boolean
  body_hash: Buffer
  parallel: number
  members: number
  held: number
  slug: string
  kind: Group['kind']
  cancelled_at: Date | null
  ended_at: Date | null
}

/** Locks a group, so that nobody else changes which members it holds. */
export function lockGroup(tx: Transaction, id: string): Promise<LockedGroup | null> {
  return findRow<LockedGroup>(tx, {
    name: 'lock-group',
    text: `SELECT g.id, g.user_id, g.project_id, u.handle, u.role, ${limitsOf('u')}, g.spec, g.command, g.class_token, g.token_id, t.limits AS agent_limits, t.stopped_at IS NOT NULL AS token_stopped,
                  g.body_hash, g.parallel, g.members, g.held, g.kind, g.cancelled_at, g.ended_at, p.slug, of_project.limits AS project_limits,
                  u.disabled_at IS NULL AND (p.owner_id = u.id OR EXISTS (
                    SELECT 1 FROM memberships m WHERE m.project_id = p.id AND m.user_id = u.id)) AS allowed,
                  EXISTS (SELECT 1 FROM approval_requests a WHERE a.group_id = g.id) AS awaits_approval
             FROM job_groups g JOIN users u ON u.id = g.user_id JOIN projects p ON p.id = g.project_id LEFT JOIN api_tokens t ON t.id = g.token_id
                  CROSS JOIN LATERAL (SELECT ${limitsOf('p')}) of_project
            WHERE g.id = $1 FOR UPDATE OF g`,
    values: [id],
  })
}

export const notAllowed = 'Its user may not submit to its project any more.'

/** Returns how many members have entered the queue. */
async function releaseGroup(tx: Transaction, id: string): Promise<number> {
  const group = await lockGroup(tx, id)
  if (!group || group.ended_at !== null) return 0
  // After the lock: another leader may have put members into the queue before.
  const live = await countLive(tx, id)
  if (group.cancelled_at !== null || (group.held === 0 && live.paused === 0)) {
    await endGroup(tx, id)
    return 0
  }
  if (!group.allowed) {
    await putOff(tx, id, notAllowed)
    return 0
  }
  try {
    const config = configOf(group)
    const settled = await settleGroup(tx, group)
    if (settled !== null && 'problem' in settled) return await cancelHeld(tx, id, settled.problem)
    const wait = (group.awaits_approval ? await findApproval(tx, id) : null) ?? settled?.wait ?? null
    if (wait !== null) return await explain(tx, id, wait)
    return await enterQueue(tx, id, { ...group, ...live }, config)
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
    await putOff(tx, id, error.message)
    return 0
  }
}

/** Why no member may enter the queue before a person approves the group, as a sentence; null: nobody must. */
async function findApproval(tx: Transaction, id: string): Promise<string | null> {
  const request = await findRow<{ hours: number }>(
    tx,
    'SELECT round(gpu_hours::numeric, 2)::float8 AS hours FROM approval_requests WHERE group_id = $1',
    [id],
  )
  return (
    request &&
    `A person must approve it: it may cost ${describeGpuHours(request.hours)}. Approve or refuse it on its page, or with gpuq approve.`
  )
}

async function enterQueue(
  tx: Transaction,
  id: string,
  group: LockedGroup & LiveCounts,
  config: GroupConfig,
): Promise<number> {
  // A refusal must not undo what keeps the group: it is stored as its problem.
  await tx.query('SAVEPOINT release')
  try {
    const { active, paused, held } = group
    if (active >= group.parallel) return 0
    await lockUsers(tx, [group.user_id])
    const limits = await readEffectiveLimits(tx, group, group.project_limits)
    const allowed = await countFreePlaces(tx, group.user_id, limits)
    // Those that are still paused at the end need no place to be stopped.
    if (allowed === 0 && (held > 0 || active > 0 || (await mayResume(tx, id, config))))
      return await explain(tx, id, noPlace)
    const places = Math.min(group.parallel - active, allowed)
    const resumed = paused > 0 ? await resumeMembers(tx, id, config, places) : 0
    if (resumed > 0) return resumed
    if (held === 0) return active > 0 ? 0 : await endPaused(tx, id, config)
    const { code } = await oneRow<{ code: Buffer }>(tx, 'SELECT code FROM job_groups WHERE id = $1', [id])
    // All submissions wait while the members of one call are inserted, each with the program.
    const atOnce = Math.max(1, Math.min(maxReleased, Math.floor(maxCodeBytes / Math.max(1, code.length))))
    const free = Math.min(places, atOnce)
    const members = await readHeld(tx, id, free + maxPassedOver)
    const owner = ownerOf(group)
    const environmentOf = once((name: string | null) => findEnvironment(name, tx))
    const reads = {
      nodes: once(() => readRegisteredNodes(tx)),
      allowance: once(() => requireAllowance(tx, owner)),
    }
    const jobs: JobRow[] = []
    let refusal: MemberError | null = null
    for (const { job_id, overrides, ...member } of members) {
      if (jobs.length === free) break
      const given = { ...member, ...(overrides && { overrides }), repeats: config.repeat }
      const memberConfig = configOfMember(jobConfigOf(config), given)
      const submission = {
        code,
        runId: null,
        // Each has a run of its own, whose checkpoints let it continue.
        config: config.stop?.resume ? { ...memberConfig, run_name: job_id } : memberConfig,
        bodyHash: group.body_hash,
        idempotencyKey: null,
        groupWaits: true,
      }
      try {
        const job = await inMember(given, async () => {
          const environment = await environmentOf(memberConfig.environment ?? null)
          return checkJob(tx, { owner, limits: limits.job, environment, submission }, reads)
        })
        jobs.push({ ...job, id: job_id, group_id: id, hoursToApprove: null })
      } catch (error) {
        // The members after it do not wait for it.
        if (!(error instanceof MemberError)) throw error
        refusal ??= error
      }
    }
    if (jobs.length === 0 && refusal !== null) throw refusal
    const { places: inQueue, error } = await lockQueue(tx)
    const entering = jobs.slice(0, inQueue)
    if (entering.length === 0) throw error
    await insertJobs(tx, entering)
    await tx.query(
      `WITH entered AS (UPDATE group_members SET state = 'entered' WHERE group_id = $1 AND job_id = ANY ($2::uuid[]) AND state = 'held' RETURNING 1)
       UPDATE job_groups SET held = held - n, code = CASE WHEN held > n THEN code ELSE '' END, problem = $3
         FROM (SELECT count(*)::int AS n FROM entered) AS e WHERE id = $1`,
      [id, entering.map((job) => job.id), refusal?.message ?? null],
    )
    return entering.length
  } catch (error) {
    if (error instanceof GpuqError) await tx.query('ROLLBACK TO SAVEPOINT release')
    throw error
  }
}

async function countLive(tx: Transaction, id: string): Promise<LiveCounts> {
  return oneRow<LiveCounts>(
    tx,
    `SELECT count(*) FILTER (WHERE NOT ${isPaused('j')})::int AS active, count(*) FILTER (WHERE ${isPaused('j')})::int AS paused
       FROM jobs j WHERE j.group_id = $1 AND j.status IN ('pending', 'scheduled', 'running')`,
    [id],
  )
}

/** Whose jobs the members are. */
export function ownerOf({
  user_id,
  project_id,
  slug,
  class_token,
  token_id,
  agent_limits,
}: LockedGroup): JobOwner {
  const classProject = class_token ? { id: project_id, slug } : null
  return {
    callerId: user_id,
    callerIsAdmin: false,
    userId: user_id,
    projectId: project_id,
    restriction: restrictionOf({ tokenId: token_id ?? '', classProject, agentLimits: agent_limits }),
    tokenId: token_id,
  }
}

/** The config as it was accepted. A key that a later version removed or limited is a problem of the group. */
export function configOf({ spec, command }: Pick<LockedGroup, 'spec' | 'command'>): GroupConfig {
  const { gpusChosen, ...record } = spec as Record<string, unknown>
  const parsed = storedGroupSchema.safeParse(
    { ...record, ...(command !== null && { command }) },
    { error: describeIssue },
  )
  if (parsed.success) return { ...parsed.data, gpusChosen: gpusChosen === true }
  const [issue] = parsed.error.issues
  throw new GpuqError('invalid_fields', `${issue?.path.join('.')}: ${issue?.message}`)
}

interface HeldMember {
  index: number
  job_id: string
  parameters: Parameters
  overrides: Overrides | null
  repeat: number
}

async function readHeld(tx: Transaction, groupId: string, places: number): Promise<HeldMember[]> {
  const { rows } = await tx.query<HeldMember>(
    `SELECT index, job_id, parameters, overrides, repeat FROM group_members WHERE group_id = $1 AND state = 'held' ORDER BY index LIMIT $2`,
    [groupId, places],
  )
  return rows
}

/** Says what the group waits for. The end of a job, after which the leader tries again, decides how long. */
async function explain(tx: Transaction, id: string, problem: string): Promise<0> {
  await tx.query('UPDATE job_groups SET problem = $2 WHERE id = $1 AND problem IS DISTINCT FROM $2', [
    id,
    problem,
  ])
  return 0
}

async function putOff(tx: Transaction, id: string, problem: string): Promise<void> {
  await tx.query(
    'UPDATE job_groups SET problem = $2, retry_at = now() + make_interval(secs => $3) WHERE id = $1',
    [id, problem, retryAfterS],
  )
}

/** Ends a group, and lets the leader look for what depends on it. One that was cancelled does not wait for jobs of earlier waves, which go on: they count as cancelled in it. */
async function endGroup(tx: Transaction, id: string): Promise<void> {
  await tx.query(
    `UPDATE job_groups SET ended_at = now(), problem = CASE WHEN cancelled_at IS NULL THEN NULL ELSE problem END, final_counts = ${countsOf('job_groups')} - 'held' || '{"paused": 0, "pending": 0, "running": 0}'
      WHERE id = $1 AND held = 0 AND NOT EXISTS (
        SELECT 1 FROM jobs j WHERE j.group_id = $1 AND j.status IN ('pending', 'scheduled', 'running'))
        AND (cancelled_at IS NOT NULL OR ${existingEnded('job_groups')})
     RETURNING ${notifyQueue('id')}`,
    [id],
  )
}
