import { placeGiven } from '../../cluster/placement/place'
import { readSpec } from '../../contract/config/stored-spec'
import { isFinal, type JobStatus } from '../../contract/status'
import { database } from '../../database/client'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { requestOf } from '../../jobs/config/resource-request'
import { placeStartedJob, reserveSubnet } from '../../jobs/state/place'

/** What became of the steps of a Slurm job. `later`: try again soon; `why` is for the log. */
export type StepPlacement =
  | { state: 'placed'; attempt: number }
  | { state: 'incomplete' }
  | { state: 'over' }
  | { state: 'later'; why: string }

interface Step {
  rank: number
  nodeId: string
  gpuIndexes: number[]
  cpuMilli: number
  memoryMib: number
}

interface LockedNode {
  id: string
  name: string
  ready: boolean
  cpuMilli: number
  memoryMib: number
}

/**
 * Starts the next attempt of a job on exactly what Slurm gave its steps, when all of them have arrived. The caller repeats
 * it for every step; only one call places the job.
 */
export async function placeSteps(rowId: string, restart: number): Promise<StepPlacement> {
  try {
    return await transaction((tx) => place(tx, rowId, restart))
  } catch (error) {
    if (error instanceof NotYet) return { state: 'later', why: error.message }
    throw error
  }
}

/** Rolls the placement back. */
class NotYet extends Error {}

async function place(tx: Transaction, rowId: string, restart: number): Promise<StepPlacement> {
  // Lock order: the Slurm job, its job, nodes by id, then GPUs.
  const row = await findRow<{
    jobId: string
    nodes: number
    attempt: number | null
    attemptRestart: number | null
  }>(tx, {
    name: 'lock-slurm-job',
    text: `SELECT job_id AS "jobId", nodes, attempt, attempt_restart AS "attemptRestart"
             FROM slurm_jobs WHERE id = $1 AND ended_at IS NULL FOR UPDATE`,
    values: [rowId],
  })
  if (!row) return { state: 'over' }
  if (row.attempt !== null && row.attemptRestart === restart) return { state: 'placed', attempt: row.attempt }
  if (row.attemptRestart !== null && row.attemptRestart > restart) return { state: 'over' }
  const steps = await readSteps(tx, rowId, restart)
  if (steps.length < row.nodes) return { state: 'incomplete' }
  const job = await placeStartedJob(tx, row.jobId)
  if (!job) return whyNotPlaced(tx, row.jobId)
  const { gpuMilli } = requestOf(readSpec(job.spec), null)
  const placement = { jobId: row.jobId, attempt: job.attempt }
  if (steps.length > 1 && !(await reserveSubnet(tx, placement))) throw new NotYet('no job network is free')
  const nodes = await lockNodes(tx, steps)
  for (const step of steps) {
    const gpus = await findGpus(tx, step, gpuMilli)
    await placeGiven(tx, placement, {
      ...withinNode(step, nodes),
      gpus: gpus.map((id) => ({ id, milli: gpuMilli })),
    })
  }
  await tx.query(
    `UPDATE slurm_jobs SET attempt = $2, attempt_restart = $3, restarts = greatest(restarts, $3), stop_reason = NULL
      WHERE id = $1`,
    [rowId, job.attempt, restart],
  )
  return { state: 'placed', attempt: job.attempt }
}

async function readSteps(tx: Transaction, rowId: string, restart: number): Promise<Step[]> {
  const { rows } = await tx.query<Step>({
    name: 'slurm-steps',
    text: `SELECT rank, node_id AS "nodeId", gpu_indexes AS "gpuIndexes", cpu_milli AS "cpuMilli", memory_mib AS "memoryMib"
             FROM slurm_steps WHERE slurm_job_id = $1 AND restart = $2 ORDER BY node_id`,
    values: [rowId, restart],
  })
  return rows
}

/** @throws {NotYet} if the job will wait again. */
async function whyNotPlaced(tx: Transaction, jobId: string): Promise<StepPlacement> {
  const job = await findRow<{ status: JobStatus }>(tx, 'SELECT status FROM jobs WHERE id = $1', [jobId])
  if (!job || isFinal(job.status)) return { state: 'over' }
  throw new NotYet('its previous attempt has not ended')
}

/** A worker that leaves, or that lost its lease, starts nothing: the step waits for the next one. */
async function lockNodes(tx: Transaction, steps: readonly Step[]): Promise<LockedNode[]> {
  const { rows } = await tx.query<LockedNode>({
    name: 'slurm-lock-nodes',
    text: `SELECT id, name, status = 'ready' AND lease_expires_at > now() AS ready, cpu_milli AS "cpuMilli", memory_mib AS "memoryMib"
             FROM nodes WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE`,
    values: [steps.map(({ nodeId }) => nodeId)],
  })
  const missing = rows.find(({ ready }) => !ready)
  if (missing) throw new NotYet(`the worker of node "${missing.name}" accepts no jobs now`)
  return rows
}

/** A container engine refuses more CPUs than the machine has, and slurm.conf may claim more. */
function withinNode(step: Step, nodes: readonly LockedNode[]): Step {
  const node = nodes.find(({ id }) => id === step.nodeId)
  if (!node) throw new NotYet('its node was removed')
  return {
    ...step,
    cpuMilli: Math.min(step.cpuMilli, node.cpuMilli),
    memoryMib: Math.min(step.memoryMib, node.memoryMib),
  }
}

/** Slurm numbers GPUs as nvidia-smi does. @throws {NotYet} if gpuq lacks one of them, or an earlier task still holds it. */
async function findGpus(tx: Transaction, { nodeId, gpuIndexes }: Step, milli: number): Promise<string[]> {
  if (gpuIndexes.length === 0) return []
  const { rows } = await tx.query<{ id: string; index: number; allocated: number }>({
    name: 'slurm-find-gpus',
    text: `SELECT id, index, allocated_milli AS allocated FROM gpus
            WHERE node_id = $1 AND index = ANY ($2::int[]) AND NOT missing ORDER BY id FOR UPDATE`,
    values: [nodeId, gpuIndexes],
  })
  const unknown = gpuIndexes.filter((index) => !rows.some((gpu) => gpu.index === index))
  if (unknown.length > 0)
    throw new NotYet(`Slurm gave GPU ${unknown.join(', ')}, which this node does not have`)
  const held = rows.find(({ allocated }) => allocated + milli > 1000)
  if (held) throw new NotYet(`an earlier task still holds GPU ${held.index}`)
  return rows.map(({ id }) => id)
}

/** The number of jobs whose row ended before an attempt started, which a retry must not repeat for ever. */
export async function countFailedStarts(jobId: string): Promise<number> {
  const { rows } = await database().pool.query<{ failed: number }>(
    `SELECT count(*)::int AS failed FROM slurm_jobs WHERE job_id = $1 AND attempt IS NULL AND state IN ('FAILED', 'COMPLETED')`,
    [jobId],
  )
  return rows[0]?.failed ?? 0
}
