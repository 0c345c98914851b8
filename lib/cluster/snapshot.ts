import { z } from 'zod'
import { database } from '../database/client'
import { requestOf, storedSpecSchema } from '../jobs/stored-spec'
import type { Demand, Policy, RunningJob, Snapshot, WaitingJob } from '../scheduling/types'
import { countKinds } from '../scheduling/workload'
import { readNodes } from './node-states'
import { readPolicy } from './policy'
import { readShares } from './shares'
import { turnOrder } from './turn-order'

interface JobRow {
  id: string
  project_id: string
  user_id: string
  expected_time_s: number
  spec: unknown
}

interface WaitingRow extends JobRow {
  attempt: number
  priority: number
  submitted_at: Date
  not_before: Date | null
  reason: string | null
}

/**
 * How many waiting jobs of one user in one project a pass looks at, of those that wait for the same reason, and how many
 * in all. Others wait for a later pass: so what can never start, or may not yet, keeps nothing else from being looked at.
 */
const windowPerUser = 250
const window = 5_000

/** The state the scheduler plans on, at the database's time, and what each waiting job was last told. */
export async function takeSnapshot(): Promise<{ snapshot: Snapshot; reasons: Map<string, string | null> }> {
  const { pool } = database()
  const [clock, nodes, policy, waiting, running, workload] = await Promise.all([
    pool.query<{ now: Date }>({ name: 'snapshot-clock', text: 'SELECT now()' }),
    readNodes(pool),
    readPolicy(),
    readWaiting(),
    readRunning(),
    recentWorkload(),
  ])
  const now = clock.rows[0]?.now ?? new Date(0)
  const toPolicy: Policy = {
    name: policy.scheduling_policy,
    running: policy.running,
    maxConcurrentJobs: policy.max_concurrent_jobs,
    backfill: policy.backfill,
    ageingMs: policy.ageing_minutes * 60_000,
    halfLifeMs: policy.half_life_hours * 3_600_000,
  }
  const projects = await readShares(
    [...new Set(waiting.map(({ project_id }) => project_id))],
    policy.scheduling_policy === 'fair_share' ? toPolicy.halfLifeMs : null,
  )
  return {
    snapshot: {
      now: now.getTime(),
      policy: toPolicy,
      nodes,
      running,
      waiting: waiting.map(toWaitingJob),
      projects,
      workload,
    },
    reasons: new Map(waiting.map(({ id, reason }) => [id, reason])),
  }
}

async function readWaiting(): Promise<WaitingRow[]> {
  const { rows } = await database().pool.query<WaitingRow>({
    name: 'snapshot-waiting',
    text: `SELECT j.id, j.project_id, j.user_id, j.expected_time_s, j.spec, j.attempt, j.priority, j.created_at AS submitted_at,
                  j.not_before, j.reason || coalesce(j.reason_detail, '') AS reason
             FROM (SELECT w.id, row_number() OVER (PARTITION BY w.project_id, w.user_id, w.reason ORDER BY ${turnOrder('w', 'p')}) AS turn
                     FROM jobs w CROSS JOIN policies p WHERE w.status = 'pending') AS pending JOIN jobs j USING (id)
            WHERE turn <= $1 ORDER BY turn, j.created_at, j.id LIMIT $2`,
    values: [windowPerUser, window],
  })
  return rows
}

const taskRows = z.array(
  z.object({
    rank: z.number(),
    nodeId: z.string(),
    cpuMilli: z.number(),
    memoryMib: z.number(),
    gpus: z.array(z.object({ id: z.string(), milli: z.number() })),
  }),
)

async function readRunning(): Promise<RunningJob[]> {
  const { rows } = await database().pool.query<JobRow & { began: Date; leaving: boolean; tasks: unknown }>({
    name: 'snapshot-running',
    text: `SELECT j.id, j.project_id, j.user_id, j.expected_time_s, j.spec, coalesce(j.started_at, now()) AS began,
                  bool_or(t.preempted_at IS NOT NULL OR j.cancel_requested_at IS NOT NULL OR (j.network_index IS NOT NULL AND EXISTS (
                    SELECT 1 FROM tasks p WHERE p.job_id = j.id AND p.attempt = j.attempt AND p.reason <> 'finished'))) AS leaving,
                  jsonb_agg(jsonb_build_object('rank', t.rank, 'nodeId', t.node_id, 'cpuMilli', t.cpu_milli,
                    'memoryMib', t.memory_mib, 'gpus', (
                      SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.gpu_id, 'milli', a.milli)), '[]')
                        FROM allocations a WHERE a.task_id = t.id AND a.released_at IS NULL))) AS tasks
             FROM tasks t JOIN jobs j ON j.id = t.job_id
            WHERE t.status IN ('scheduled', 'starting', 'running') GROUP BY j.id`,
  })
  return rows.map(({ began, leaving, tasks, ...row }) => ({
    ...factsOf(row),
    tasks: taskRows.parse(tasks),
    startedAt: began.getTime(),
    leaving,
  }))
}

function factsOf(row: JobRow) {
  return {
    id: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    expectedMs: row.expected_time_s * 1000,
    request: requestOf(storedSpecSchema.parse(row.spec), row.id),
  }
}

function toWaitingJob(row: WaitingRow): WaitingJob {
  return {
    ...factsOf(row),
    attempt: row.attempt,
    priority: row.priority,
    submittedAt: row.submitted_at.getTime(),
    notBefore: row.not_before?.getTime() ?? null,
  }
}

const recentJobs = 500
const recentForMs = 60_000
let recent: { at: number; workload: Promise<Demand[]> } | undefined

/** What the last jobs asked for: what is to be expected. Read anew every minute. */
function recentWorkload(): Promise<Demand[]> {
  if (!recent || performance.now() - recent.at > recentForMs) {
    recent = { at: performance.now(), workload: readWorkload() }
    recent.workload.catch(() => {
      recent = undefined
    })
  }
  return recent.workload
}

async function readWorkload(): Promise<Demand[]> {
  const { rows } = await database().pool.query<{ spec: unknown }>(
    'SELECT spec FROM jobs ORDER BY created_at DESC, id DESC LIMIT $1',
    [recentJobs],
  )
  return countKinds(rows.map(({ spec }) => requestOf(storedSpecSchema.parse(spec), null)))
}
