import { uuidv7 } from 'uuidv7'
import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { database } from '../../database/client'
import { channels } from '../../database/listen'
import { keyedTransaction, type Transaction } from '../../database/transaction'
import { requestOf } from '../../jobs/config/resource-request'
import { notifyWatchers } from '../../jobs/state/announce'
import { type Attempt, placeJob, placeJobSql, reserveSubnet } from '../../jobs/state/place'
import { fits } from '../../scheduling/fits'
import type {
  Dimension,
  NodeState,
  Placement,
  Preemption,
  ResourceRequest,
  TaskPlacement,
} from '../../scheduling/types'
import { lockNodeForPlacement } from '../nodes/node-states'
import { exceedsGpuLimits, type GpuLimits, gpuLimitColumns } from './gpu-limits'

type Refusal = Dimension | 'job' | 'network' | 'limit'
type Commit = { ok: true } | { ok: false; dimension: Refusal }

/** Rolls back the transaction of a stale plan, with the dimension that no longer fits. */
class StalePlan extends Error {
  constructor(readonly dimension: Refusal) {
    super(`stale plan: ${dimension}`)
  }
}

/**
 * Commits a placement with all of its tasks, or refuses it as a whole. Locks the rows and checks them with the same
 * `fits()` as the scheduler, and the limits of concurrent GPUs. Refuses a job that was cancelled or placed in the meantime with the dimension `job`.
 */
export async function commitPlacement(placement: Placement): Promise<Commit> {
  try {
    await keyedTransaction(async (tx) => {
      const row = await placeJob<Unparsed<ClaimedJob>>(tx, placement, `spec, ${gpuLimitColumns}`)
      if (row === null) throw new StalePlan('job')
      const claimed = parseSpec(row)
      const request = requestOf(claimed.spec, placement.jobId)
      if (placement.tasks.length > 1 && !(await reserveSubnet(tx, placement))) throw new StalePlan('network')
      // Lock order: nodes by id, then GPUs, as everywhere, to avoid deadlocks.
      const tasks = [...placement.tasks].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
      const nodes = []
      for (const task of tasks) nodes.push({ task, node: await lockNodeForPlacement(tx, task.nodeId) })
      if (await exceedsGpuLimits(tx, claimed, request)) throw new StalePlan('limit')
      for (const { task, node } of nodes) await placeTask(tx, placement, task, node, request)
    })
    return { ok: true }
  } catch (error) {
    if (error instanceof StalePlan) return { ok: false, dimension: error.dimension }
    throw error
  }
}

interface ClaimedJob extends GpuLimits {
  spec: StoredSpec
}

/** Creates one task with its allocations, if its node still has the capacity. */
async function placeTask(
  tx: Transaction,
  placement: Placement,
  task: TaskPlacement,
  node: NodeState | null,
  request: ResourceRequest,
): Promise<void> {
  if (!node) throw new StalePlan('node')
  const wanted = task.gpus.map(({ id }) => id)
  const fit = fits(request, node, wanted)
  if (!fit.ok) throw new StalePlan(fit.dimension)
  await placeGiven(tx, placement, { rank: task.rank, ...fit.task })
}

/** Creates one task with its allocations on GPUs that the caller chose and locked. */
export async function placeGiven(tx: Transaction, placement: Attempt, task: TaskPlacement): Promise<void> {
  await tx.query({
    name: 'insert-task',
    text: `WITH ${insertTaskSql('')} ${notifySql}`,
    values: valuesOf(placement, task),
  })
}

/**
 * Starts an attempt with one task in a single statement, because its GPUs stay allocated to the ended job until the
 * transaction commits. Does nothing if the job does not wait for that attempt, or is held.
 */
export async function startJob(tx: Transaction, placement: Attempt, task: TaskPlacement): Promise<void> {
  await tx.query({
    name: 'start-job',
    text: `WITH taken AS (${placeJobSql} RETURNING id), ${insertTaskSql('FROM taken')} ${notifySql}`,
    values: valuesOf(placement, task),
  })
}

/** @param from SQL that has one row if the task may be created. */
const insertTaskSql = (from: string) => `
  task AS (
    INSERT INTO tasks (id, job_id, attempt, rank, node_id, cpu_milli, memory_mib, created_at)
    -- Not now(): a transaction that waited for a lock began too early.
    SELECT $3, $1, $2, $4, $5, $6, $7, clock_timestamp() ${from} RETURNING id
  ), wanted AS (SELECT * FROM unnest($8::uuid[], $9::int[]) AS w (gpu_id, milli)
  ), booked AS (
    UPDATE gpus SET allocated_milli = allocated_milli + w.milli FROM wanted w, task
     WHERE gpus.id = w.gpu_id AND gpus.node_id = $5 RETURNING gpus.id, w.milli
  ), held AS (
    INSERT INTO allocations (task_id, gpu_id, milli) SELECT task.id, booked.id, booked.milli FROM task, booked
  )`
const notifySql = `SELECT pg_notify('${channels.node}', $5::text), ${notifyWatchers('$1')}`

/** @param task the result of `fits()` on the locked node, so each guarded update finds its row. */
function valuesOf({ jobId, attempt }: Attempt, { rank, nodeId, gpus, cpuMilli, memoryMib }: TaskPlacement) {
  return [
    jobId,
    attempt,
    uuidv7(),
    rank,
    nodeId,
    cpuMilli,
    memoryMib,
    gpus.map(({ id }) => id),
    gpus.map(({ milli }) => milli),
  ]
}

/** Requests the workers to stop preempted jobs with all their tasks. The jobs return to the queue. */
export async function preemptJobs(preemptions: readonly Preemption[]): Promise<void> {
  if (preemptions.length === 0) return
  await database().pool.query(
    // Lock order: jobs by id, then tasks, as everywhere.
    `WITH stopped AS (SELECT id FROM jobs WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE
     ), live AS (
       SELECT tasks.id FROM tasks JOIN stopped ON stopped.id = job_id
        WHERE status IN ('scheduled', 'starting', 'running') AND preempted_at IS NULL ORDER BY tasks.id FOR UPDATE OF tasks
     ), preempted AS (
       UPDATE tasks SET preempted_at = now() FROM live WHERE tasks.id = live.id RETURNING node_id
     )
     SELECT pg_notify('${channels.node}', node_id::text) FROM preempted`,
    [preemptions.map(({ jobId }) => jobId)],
  )
}
