import { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { cachedCredentialCheck } from '../access/credential-validity'
import { isReached, reachOf } from '../access/restriction'
import { sleep } from '../async/sleep'
import { readGroupBudget } from '../budgets/read-budgets'
import { notFound, unauthenticated } from '../contract/errors'
import { reasonText } from '../contract/reasons'
import { type JobStatus, toUploadStatus } from '../contract/status'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { cutPage, decodeCursor, decodeTimeCursor, type Page, wrongCursor } from '../database/pagination'
import { findRow } from '../database/transaction'
import { countsOf, isPaused, statusOf } from '../jobs/dependencies/member-counts'
import { mayChange, visibilityFilter } from '../jobs/read/job-visibility'
import { followersOf, metricsColumn, storedMetrics, submittedWith } from '../jobs/read/list'
import { divideMetrics, type StoredMetrics } from '../results/metrics'
import type {
  Group,
  GroupDetail,
  GroupMember,
  GroupOfJob,
  groupListQuerySchema,
  memberListQuerySchema,
  waitQuerySchema,
} from './contract'
import { maxGroupMembers } from './contract-parameters'
import { type Overrides, parametersOf, withoutSecrets } from './contract-wave'

interface GroupRow extends Omit<WithDates<Group, 'created_at' | 'ended_at'>, 'counts'> {
  owner_id: string
  held: number
  counts: Omit<Group['counts'], 'held' | 'paused'> & { held?: number; paused?: number }
}

/** The alias `j` is that of the conditions on visibility, which need only the user and the project. */
const groupColumns = (tokenId: string) => `
  j.id AS group_id, j.user_id AS owner_id, j.name, j.kind, u.handle AS user_id, p.slug AS project_id, ${submittedWith}, j.competition_id, j.members, j.parallel,
  requested_gpus(j.spec) AS gpus, j.spec->>'parent' AS parent, j.spec->>'hypothesis' AS hypothesis, j.spec->>'note' AS note, ${followersOf('j', tokenId)} AS followers,
  j.parameters, (j.spec->>'samples')::int AS samples, coalesce((j.spec->>'repeat')::int, 1) AS repeat, j.spec->'objective' AS objective, coalesce(j.final_counts, ${countsOf('j')}) AS counts, j.held, j.problem, j.created_at, j.ended_at,
  EXISTS (SELECT 1 FROM approval_requests a WHERE a.group_id = j.id) AS awaits_approval,
  EXISTS (SELECT 1 FROM group_dependencies d WHERE d.group_id = j.id) AS waits_for_others,
  ${statusOf('j')} AS status`
const groupTables = 'job_groups j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id'

function toGroup({ owner_id: _, held, counts, ...row }: GroupRow): Group {
  // Members that the group had not put into the queue when it was cancelled have no job.
  const counted = Object.values(counts).reduce((sum, members) => sum + members, 0)
  const withoutJob = row.members - held - counted
  return {
    ...datesToText(row),
    counts: {
      ...counts,
      held: (counts.held ?? 0) + held,
      paused: counts.paused ?? 0,
      cancelled: counts.cancelled + Math.max(0, withoutJob),
    },
  }
}

/** Lists the groups of the actor, or of everybody for an admin, the newest first. */
export async function listGroups(
  actor: Actor,
  { all, active = false, limit, cursor }: z.output<typeof groupListQuerySchema>,
): Promise<Page<Group>> {
  if (all) requireAdmin(actor)
  const { at, id } = decodeTimeCursor(cursor)
  const { rows } = await database().pool.query<GroupRow>(
    `SELECT ${groupColumns('$3')} FROM ${groupTables}
      WHERE ($1::uuid IS NULL OR j.user_id = $1) AND ${isReached('j', '$2', '$3')}
        AND ($4::timestamptz IS NULL OR (j.created_at, j.id) < ($4, $5::uuid)) AND (NOT $6 OR j.ended_at IS NULL)
      ORDER BY j.created_at DESC, j.id DESC LIMIT $7`,
    [all ? null : actor.userId, ...reachOf(actor.restriction), at, id, active, limit + 1],
  )
  return cutPage(rows, limit, (row) => [row.created_at.toISOString(), row.group_id], toGroup)
}

export const noSuchGroup = () =>
  notFound('You have no group with this id. GET /api/groups lists your groups.')

/** Finds a group that the actor may see: as for its jobs. @throws 404, the same for an unknown group and for another user's. */
export async function findGroup(actor: Actor, id: string): Promise<GroupRow> {
  const { sql, values } = visibilityFilter(actor, 3)
  const row = z.uuid().safeParse(id).success
    ? await findRow<GroupRow>(
        database().pool,
        `SELECT ${groupColumns('$1')} FROM ${groupTables} WHERE ${sql} AND j.id = $2`,
        [actor.restriction?.agent?.tokenId, id, ...values],
      )
    : null
  if (!row) throw noSuchGroup()
  return row
}

/** Whether the actor may see a group. */
export async function isVisibleGroup(actor: Actor, id: string): Promise<boolean> {
  if (!z.uuid().safeParse(id).success) return false
  const { sql, values } = visibilityFilter(actor, 2)
  const { rowCount } = await database().pool.query(`SELECT 1 FROM job_groups j WHERE ${sql} AND j.id = $1`, [
    id,
    ...values,
  ])
  return rowCount === 1
}

/** Reads a group with its best member. */
export async function readGroup(actor: Actor, id: string): Promise<GroupDetail> {
  const found = await findGroup(actor, id)
  const { group_id, objective } = found
  return {
    ...toGroup(found),
    best: objective && (await findBest(group_id, objective, shownTo(actor, found))),
    budget: await readGroupBudget(group_id),
  }
}

interface MemberRow
  extends Omit<
    WithDates<GroupMember, 'started_at' | 'ended_at'>,
    'status' | 'reason_text' | 'objective' | 'metrics' | 'not_finite'
  > {
  metrics: StoredMetrics
  status: JobStatus | 'held' | 'paused'
  reason: string | null
  reason_detail: string | null
  overrides: Overrides | null
}

/** SQL for where a member is. A job of an earlier wave can be held by that. */
const statusOfMember = `CASE WHEN ${isPaused('j')} THEN 'paused' ELSE coalesce(j.status::text, CASE WHEN m.state <> 'existing' THEN m.state::text
  ELSE (SELECT own.state::text FROM group_members own WHERE own.job_id = m.job_id AND own.state <> 'existing') END) END`

const memberColumns = `
  m.index, m.job_id, j.id IS NOT NULL AS has_job, m.parameters, m.overrides, m.repeat, m.state = 'existing' AS existing, ${statusOfMember} AS status, j.reason, j.reason_detail, j.exit_code,
  CASE WHEN j.id IS NOT NULL THEN requested_gpus(j.spec) END AS gpus,
  CASE WHEN j.id IS NULL THEN '{}' ELSE ${storedMetrics} END AS metrics, j.started_at, j.ended_at`
const memberTables = 'group_members m LEFT JOIN jobs j ON j.id = m.job_id'

/** How a reader sees the members of a group. */
interface Shown {
  metric: string | null
  /** Also the values of variables, which a manager of the project does not see. */
  maySee: boolean
}

const shownTo = (actor: Actor, { owner_id: userId, objective }: GroupRow): Shown => ({
  metric: objective?.metric ?? null,
  maySee: mayChange(actor, { userId }),
})

function toMember(
  { reason, reason_detail, status, overrides, metrics: stored, ...row }: MemberRow,
  { metric, maySee }: Shown,
): GroupMember {
  const { metrics, not_finite } = divideMetrics(stored)
  return {
    ...datesToText(row),
    metrics,
    not_finite,
    parameters:
      overrides === null ? row.parameters : parametersOf(maySee ? overrides : withoutSecrets(overrides)),
    status: status === 'held' || status === 'paused' ? status : toUploadStatus(status),
    reason_text:
      // The detail is the comparison, which says everything.
      (reason === 'stopped_early' || status === 'paused') && reason_detail !== null
        ? reason_detail
        : reasonText({ status: status === 'paused' ? 'pending' : status, reason, reason_detail }),
    objective: metric === null ? null : (metrics[metric] ?? null),
  }
}

/** The best of the completed members; the first one of several that are equal. One whose last value was not finite is never the best. */
async function findBest(
  groupId: string,
  { metric, mode }: NonNullable<Group['objective']>,
  shown: Shown,
): Promise<GroupMember | null> {
  const row = await findRow<MemberRow>(
    database().pool,
    `SELECT ${memberColumns} FROM ${memberTables}
      WHERE m.group_id = $1 AND j.status = 'completed' AND ${metricsColumn} ? $2
      ORDER BY ((${metricsColumn}->>$2)::float8) * $3, m.index LIMIT 1`,
    [groupId, metric, mode === 'min' ? 1 : -1],
  )
  return row && toMember(row, shown)
}

/** Lists the members of a group in their order. */
export async function listMembers(
  actor: Actor,
  id: string,
  { status, limit, cursor }: z.output<typeof memberListQuerySchema>,
): Promise<Page<GroupMember>> {
  const group = await findGroup(actor, id)
  const shown = shownTo(actor, group)
  const after =
    cursor === undefined
      ? -1
      : z.coerce.number().int().min(0).max(maxGroupMembers).safeParse(decodeCursor(cursor, 1)[0]).data
  if (after === undefined) throw wrongCursor()
  const { rows } = await database().pool.query<MemberRow>(
    `SELECT ${memberColumns} FROM ${memberTables}
      WHERE m.group_id = $1 AND m.index > $2 AND ($3::text[] IS NULL OR ${statusOfMember} = ANY ($3))
      ORDER BY m.index LIMIT $4`,
    [group.group_id, after, status === undefined ? null : storedStatuses(status), limit + 1],
  )
  return cutPage(
    rows,
    limit,
    ({ index }) => [String(index)],
    (row) => toMember(row, shown),
  )
}

/** Reads the names of the metrics of all members, at most `limit`. */
export async function readMetricNames(groupId: string, limit: number): Promise<string[]> {
  const { rows } = await database().pool.query<{ name: string }>(
    `SELECT DISTINCT printed.name FROM group_members m JOIN jobs j ON j.id = m.job_id CROSS JOIN LATERAL jsonb_object_keys(${storedMetrics}) printed (name)
      WHERE m.group_id = $1 ORDER BY printed.name LIMIT $2`,
    [groupId, limit],
  )
  return rows.map(({ name }) => name).toSorted()
}

/** Reads the place of a job in its group. @throws 404 for a job that is in no group, and for one that the actor may not see */
export async function readGroupOfJob(actor: Actor, jobId: string): Promise<GroupOfJob> {
  const place = z.uuid().safeParse(jobId).success
    ? await findRow<{ group_id: string; index: number }>(
        database().pool,
        `SELECT group_id, index FROM group_members WHERE job_id = $1 AND state <> 'existing'
          UNION ALL SELECT group_id, index FROM replaced_jobs WHERE job_id = $1`,
        [jobId],
      )
    : null
  if (!place) throw noSuchMember()
  const group = await findGroup(actor, place.group_id)
  const { group_id, name, kind, members } = group
  const { rows } = await database().pool.query<MemberRow>(
    `SELECT ${memberColumns} FROM ${memberTables} WHERE m.group_id = $1 AND m.index BETWEEN $2 - 1 AND $2 + 1`,
    [group_id, place.index],
  )
  const replaced = await database().prisma.replacedJob.findMany({
    where: { groupId: group_id, index: place.index },
    orderBy: { jobId: 'asc' },
  })
  const at = (index: number) => rows.find((row) => row.index === index)
  const jobAt = (index: number) => (at(index)?.has_job ? at(index)?.job_id : null) ?? null
  const own = at(place.index)
  if (!own) throw noSuchMember()
  return {
    group_id,
    name,
    kind,
    members,
    member: toMember(own, shownTo(actor, group)),
    failed_jobs: replaced.map((job) => job.jobId),
    previous: jobAt(place.index - 1),
    next: jobAt(place.index + 1),
  }
}

const noSuchMember = () => notFound('You have no job with this id that is a member of a group.')

/** The statuses of the database that the API shows as one. */
const storedStatuses = (status: string) => (status === 'pending' ? ['pending', 'scheduled'] : [status])

const pollMs = 2_000

/** Waits until all members of a group have ended, or more than before. Returns the group as it is then. */
export async function waitForGroup(
  actor: Actor,
  id: string,
  { for: what, seconds, ended: before }: z.output<typeof waitQuerySchema>,
  signal: AbortSignal,
): Promise<GroupDetail> {
  const until = performance.now() + seconds * 1000
  const isStillValid = cachedCredentialCheck(actor)
  const endedOf = ({ counts }: Group) => counts.completed + counts.failed + counts.cancelled
  const first = toGroup(await findGroup(actor, id))
  const from = before ?? endedOf(first)
  let group = first
  while (group.ended_at === null && !(what === 'any' && endedOf(group) > from)) {
    const left = until - performance.now()
    if (left <= 0 || signal.aborted) break
    await sleep(Math.min(pollMs, left), signal)
    if (!(await isStillValid()))
      throw unauthenticated('The token or session of this request was ended while it waited.')
    group = toGroup(await findGroup(actor, id))
  }
  return readGroup(actor, id)
}
