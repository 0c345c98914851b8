import { readSpec } from '../../contract/config/stored-spec'
import { database } from '../../database/client'
import { requestOf } from '../../jobs/config/resource-request'
import { type Prediction, predictFromEstimate } from '../../scheduling/run-times/run-times'
import type {
  Demand,
  JobFacts,
  Policy,
  ResourceRequest,
  RunningJob,
  Snapshot,
  WaitingJob,
} from '../../scheduling/types'
import { countKinds } from '../../scheduling/workload'
import { readPolicy } from '../admin/policy'
import { readNodes } from '../nodes/node-states'
import { readTokenGpuLimits, readUserGpuLimits } from './gpu-limits'
import { type JobRow, jobColumns, PendingWindow, type WaitingRow } from './pending-window'
import { readRunTimes } from './run-times'
import { readShares } from './shares'
import { readUsedUpBudgets, type UsedUpBudgets } from './used-up-budgets'

const pendingWindow = new PendingWindow()

/** Reads the state for a scheduling pass at the database's time, and the current reason of each waiting job. */
export async function takeSnapshot(): Promise<{ snapshot: Snapshot; reasons: Map<string, string | null> }> {
  const { pool } = database()
  const [clock, nodes, policy, waiting, runningRows, runTimes, workload, usedUp] = await Promise.all([
    pool.query<{ now: Date }>({ name: 'snapshot-clock', text: 'SELECT now()' }),
    readNodes(pool),
    readPolicy(),
    pendingWindow.read(),
    readRunning(),
    readRunTimes(),
    recentWorkload(),
    readUsedUpBudgets(),
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
  const predict = (job: JobRow, elapsedMs: number): Prediction =>
    policy.predict_run_times
      ? runTimes.predict(job, job.estimateMs, job.limitMs, elapsedMs)
      : predictFromEstimate(job.estimateMs)
  const running = runningRows.map((row) =>
    toRunningJob(row, predict(row, now.getTime() - row.began.getTime())),
  )
  const waitingJobs = waiting.map((row) => toWaitingJob(row, predict(row, 0), usedUp))
  requests.removeUnused()
  const [projects, userLimits, tokenLimits] = await Promise.all([
    readShares(
      [...new Set(waiting.map(({ projectId }) => projectId))],
      policy.scheduling_policy === 'fair_share' ? toPolicy.halfLifeMs : null,
    ),
    readUserGpuLimits(waitingJobs, running),
    readTokenGpuLimits(waitingJobs, running),
  ])
  return {
    snapshot: {
      now: now.getTime(),
      policy: toPolicy,
      nodes,
      running,
      waiting: waitingJobs,
      projects: projects.map((project) => ({ ...project, userLimits: userLimits.get(project.id) ?? [] })),
      tokenLimits,
      workload,
    },
    reasons: new Map(waiting.map(({ id, reason }) => [id, reason])),
  }
}

type RunningRow = JobRow & Pick<RunningJob, 'tasks' | 'terminating'> & { began: Date }

async function readRunning(): Promise<RunningRow[]> {
  const { rows } = await database().pool.query<RunningRow>({
    name: 'snapshot-running',
    // `json` is built in half the time of `jsonb`, and no operator here reads inside it.
    text: `WITH held AS (
             SELECT task_id, json_agg(json_build_object('id', gpu_id, 'milli', milli)) AS gpus
               FROM allocations WHERE released_at IS NULL GROUP BY task_id
           ), live AS (
             SELECT t.job_id, bool_or(t.preempted_at IS NOT NULL) AS preempted,
                    json_agg(json_build_object('rank', t.rank, 'nodeId', t.node_id, 'cpuMilli', t.cpu_milli,
                      'memoryMib', t.memory_mib, 'gpus', coalesce(held.gpus, '[]'))) AS tasks
               FROM tasks t LEFT JOIN held ON held.task_id = t.id
              WHERE t.status IN ('scheduled', 'starting', 'running') GROUP BY t.job_id
           )
           SELECT ${jobColumns}, coalesce(j.started_at, now()) AS began, live.tasks,
                  live.preempted OR j.cancel_requested_at IS NOT NULL OR (j.network_index IS NOT NULL AND EXISTS (
                    SELECT 1 FROM tasks p WHERE p.job_id = j.id AND p.attempt = j.attempt AND p.reason <> 'finished')) AS terminating
             FROM live JOIN jobs j ON j.id = live.job_id`,
  })
  return rows
}

function toRunningJob(
  { tasks, terminating, began, ...row }: RunningRow,
  { basis, jobs, firstMs, ...expected }: Prediction,
): RunningJob {
  const prediction = { basis, jobs, firstMs }
  return { ...toFacts(row, expected), prediction, tasks, terminating, startedAt: began.getTime() }
}

function toFacts(
  { id, projectId, userId, tokenId, spec, submittedAt }: JobRow,
  { expectedMs, possibleMs }: Pick<Prediction, 'expectedMs' | 'possibleMs'>,
): JobFacts {
  const request = requests.of(id, spec)
  const facts = { id, projectId, userId, tokenId, request, submittedAt: submittedAt.getTime() }
  return { ...facts, expectedMs, possibleMs }
}

/**
 * Caches the requests of jobs, which never change. With ten thousand jobs, parsing them took a quarter of the
 * snapshot's time.
 */
class RequestCache {
  #cached = new Map<string, ResourceRequest>()
  #used = new Map<string, ResourceRequest>()

  of(id: string, spec: unknown): ResourceRequest {
    const request = this.#cached.get(id) ?? requestOf(readSpec(spec), id)
    this.#used.set(id, request)
    return request
  }

  /** Removes the jobs that the last snapshot did not contain. */
  removeUnused(): void {
    this.#cached = this.#used
    this.#used = new Map()
  }
}

const requests = new RequestCache()

function toWaitingJob(row: WaitingRow, expected: Prediction, usedUp: UsedUpBudgets): WaitingJob {
  const { attempt, priority, notBefore } = row
  const budget = usedUp.of(row)
  const backsOffUntil = notBefore?.getTime() ?? null
  return {
    ...toFacts(row, expected),
    attempt,
    priority,
    notBefore: budget ? Math.max(budget.until, backsOffUntil ?? 0) : backsOffUntil,
    usedUp: budget?.detail ?? null,
  }
}

const recentJobs = 500
const recentValidMs = 60_000
let recent: { at: number; workload: Promise<Demand[]> } | undefined

/** Reads the requests of recent jobs, from which the scheduler expects future ones. Refreshed every minute. */
function recentWorkload(): Promise<Demand[]> {
  if (!recent || performance.now() - recent.at > recentValidMs) {
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
  return countKinds(rows.map(({ spec }) => requestOf(readSpec(spec), null)))
}
