import { uuidv7 } from 'uuidv7'
import { readSpec, type StoredSpec } from '../../contract/config/stored-spec'
import { readJobNetworks } from '../../contract/job-network'
import { channels } from '../../database/listen'
import { acquireLock } from '../../database/locks'
import { type Transaction, transaction } from '../../database/transaction'
import { env } from '../../env'
import { requestOf } from '../../jobs/config/resource-request'
import { fits } from '../../scheduling/fits'
import type { Dimension, NodeState, Placement, TaskPlacement } from '../../scheduling/types'
import { lockForPlacing } from '../nodes/node-states'

type Refusal = Dimension | 'job' | 'network'
type Commit = { ok: true } | { ok: false; dimension: Refusal }

/** Rolls the transaction back when a plan turns out to be stale; carries why. */
class StalePlan extends Error {
  constructor(readonly dimension: Refusal) {
    super(`stale plan: ${dimension}`)
  }
}

/**
 * Makes one placement true with all of its tasks, or refuses it whole: the same `fits()` that planned decides again on
 * rows locked for the transaction. A job that was cancelled or placed meanwhile is refused as `job`.
 */
export async function commitPlacement(placement: Placement): Promise<Commit> {
  try {
    await transaction(async (tx) => {
      const spec = await takeJob(tx, placement)
      if (spec === null) throw new StalePlan('job')
      if (placement.tasks.length > 1) await takeNetwork(tx, placement)
      // All nodes in one order, and then their GPUs, as everyone locks them: no two wait for each other.
      const tasks = [...placement.tasks].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
      const nodes = []
      for (const task of tasks) nodes.push({ task, node: await lockForPlacing(tx, task.nodeId) })
      for (const { task, node } of nodes) await placeTask(tx, placement, task, node, spec)
    })
    return { ok: true }
  } catch (error) {
    if (error instanceof StalePlan) return { ok: false, dimension: error.dimension }
    throw error
  }
}

const updateTaken = `
  UPDATE jobs SET status = 'scheduled', attempt = $2, reason = NULL, reason_detail = NULL, not_before = NULL
   WHERE id = $1 AND status = 'pending' AND attempt = $2 - 1`

/** Makes a waiting job scheduled, and says what it asked for; null where it does not wait for that attempt any more. */
async function takeJob(tx: Transaction, placement: Attempt): Promise<StoredSpec | null> {
  const { rows } = await tx.query<{ spec: unknown }>({
    name: 'schedule-job',
    text: `${updateTaken} RETURNING spec`,
    values: [placement.jobId, placement.attempt],
  })
  return rows[0] ? readSpec(rows[0].spec) : null
}

/**
 * Gives the job's attempt a subnet for as long as it lives: the first free one from a place of the attempt's own. Of an
 * attempt before, or of another job, a container may be left on a node that was lost, with its subnet: that is not given
 * out again at once.
 */
async function takeNetwork(tx: Transaction, { jobId, attempt }: Placement): Promise<void> {
  // One at a time, or two would take the same.
  await acquireLock(tx, 'jobNetwork')
  const { rowCount } = await tx.query({
    name: 'take-network',
    text: `WITH own AS (SELECT (abs(hashtextextended($1::text, 0) % $2::int)::int + $3::int * 97) % $2::int AS first)
           UPDATE jobs SET network_index = free.index
             FROM (SELECT index FROM own, generate_series(0, $2::int - 1) AS index
                    WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE network_index = index)
                    ORDER BY (index - first + $2::int) % $2::int LIMIT 1) AS free
            WHERE jobs.id = $1::uuid`,
    values: [jobId, readJobNetworks(env().GPUQ_JOB_NETWORKS).count, attempt],
  })
  if (rowCount !== 1) throw new StalePlan('network')
}

async function placeTask(
  tx: Transaction,
  placement: Placement,
  task: TaskPlacement,
  node: NodeState | null,
  spec: StoredSpec,
): Promise<void> {
  if (!node) throw new StalePlan('node')
  const wanted = task.gpus.map(({ id }) => id)
  const fit = fits(requestOf(spec, placement.jobId), node, wanted)
  if (!fit.ok) throw new StalePlan(fit.dimension)
  await bookTask(tx, placement, { rank: task.rank, ...fit.task })
}

/** Makes one task of a scheduled attempt, with what it holds. */
async function bookTask(tx: Transaction, placement: Attempt, task: TaskPlacement): Promise<void> {
  await tx.query({
    name: 'book-task',
    text: `WITH ${bookings} ${told}`,
    values: valuesOf(placement, task),
  })
}

/**
 * Starts a waiting job's attempt of one task, in one statement: its GPUs are in the other job's name until it is through.
 *
 * @param placement of a job whose row is locked, and waits for this attempt.
 */
export async function startJob(tx: Transaction, placement: Attempt, task: TaskPlacement): Promise<void> {
  await tx.query({
    name: 'start-job',
    text: `WITH taken AS (${updateTaken}), ${bookings} ${told}`,
    values: valuesOf(placement, task),
  })
}

type Attempt = Pick<Placement, 'jobId' | 'attempt'>

const bookings = `
  task AS (
    INSERT INTO tasks (id, job_id, attempt, rank, node_id, cpu_milli, memory_mib, created_at)
    -- Not when the transaction began: that of one that waited for its turn began too early.
    VALUES ($3, $1, $2, $4, $5, $6, $7, clock_timestamp()) RETURNING id
  ), wanted AS (SELECT * FROM unnest($8::uuid[], $9::int[]) AS w (gpu_id, milli)
  ), booked AS (
    UPDATE gpus SET allocated_milli = allocated_milli + w.milli FROM wanted w
     WHERE gpus.id = w.gpu_id AND gpus.node_id = $5 RETURNING gpus.id, w.milli
  ), held AS (
    INSERT INTO allocations (task_id, gpu_id, milli) SELECT task.id, booked.id, booked.milli FROM task, booked
  )`
const told = `SELECT pg_notify('${channels.node}', $5::text), pg_notify('${channels.job}', $1::text)`

/** @param task as `fits()` gave it on the node's locked row: so each guarded update finds its row. */
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
