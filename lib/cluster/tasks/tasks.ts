import { parseSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import type { EndReason } from '../../contract/reasons'
import { database } from '../../database/client'
import { keyedTransaction, type Transaction } from '../../database/transaction'
import { startJobSql } from '../../jobs/state/start'
import { traceStep } from '../../logger'
import type { StoredMetrics } from '../../results/metrics'
import { holdsLease, type Lease, LeaseLost, leaseHeld } from '../nodes/nodes'

/** A write of a worker found no live task under the worker's lease, because the worker was fenced off. */
export class Fenced extends Error {
  constructor(readonly taskId: string) {
    super(`Task ${taskId} no longer belongs to this worker. The worker stops working on it.`)
    this.name = 'Fenced'
  }
}

/** SQL condition: the task `$3` is live on the node `$1`, whose lease `$2` is held. */
export const taskHeld = `tasks.id = $3 AND node_id = $1 AND status IN ('starting', 'running') AND ${leaseHeld}`

/**
 * Executes a statement whose `$1` to `$3` are those of {@link taskHeld}, and whose other values begin at `$4`.
 * @throws {Fenced} if it affects no row.
 */
export async function writeTask(
  executor: Transaction,
  lease: Lease,
  taskId: string,
  { name, text, values }: { name: string; text: string; values: readonly unknown[] },
): Promise<void> {
  const ids = [lease.nodeId, lease.leaseId, taskId]
  const { rowCount } = await executor.query({ name, text, values: [...ids, ...values] })
  if (rowCount === 0) throw new Fenced(taskId)
}

/**
 * Locks a live task until the transaction ends, so that a transaction that declares it lost and starts the next attempt
 * waits.
 * @throws {Fenced} if the task no longer belongs to this worker.
 */
export function lockHeldTask(tx: Transaction, lease: Lease, taskId: string): Promise<void> {
  const text = `SELECT 1 FROM tasks WHERE ${taskHeld} FOR UPDATE`
  return writeTask(tx, lease, taskId, { name: 'lock-held-task', text, values: [] })
}

/** A named run. Its attempts, and later jobs of the same run, share one set of checkpoints. */
export interface Run {
  id: string
  projectId: string
  /** To whom its checkpoints count: the user to whom it belongs, or the owner of the project. */
  userId: string
  /** The name of its directory below that of the project. It differs from that of every other run, whatever their names. */
  directory: string
}

/** A task with everything its worker needs. */
export interface ClaimedTask {
  id: string
  jobId: string
  attempt: number
  rank: number
  status: 'starting' | 'running'
  cpuMilli: number
  memoryMib: number
  image: string
  network: 'none' | 'internet'
  /** The Python modules that warm containers of its environment import in advance. */
  prepare: string[]
  spec: StoredSpec
  /** The uploaded archive of the job's directory. */
  archiveId: string | null
  /** The snapshots that it mounts. */
  mounts: ClaimedMount[]
  /** The content of solution.py; empty if the job runs a command, or a file of its directory. */
  code: Buffer
  /** The shell command; null: run a program. */
  command: string | null
  project: { id: string; owner: string; slug: string }
  /** The named run that has its checkpoints; null: none. */
  run: Run | null
  /** The shared working directory of the job; null: none. */
  workspace: string | null
  /** The job's owner, with the uid and gid of their files on shared storage if an admin set them. */
  user: { handle: string; uid: number | null; gid: number | null }
  timeLimitS: number
  /** The user's estimate, from which the time limit may follow. */
  expectedTimeS: number
  /** Seconds since the task's start by the database's clock, without pauses; 0 before the start. */
  ranSeconds: number
  /** Whether an earlier worker paused its container, or was about to. */
  wasPaused: boolean
  stdoutConsumed: number
  stderrConsumed: number
  /** Bytes of stored output records: the offset of the next chunk. */
  outputBytes: number
  /** The last number of each metric in the stored output. */
  metrics: StoredMetrics
  /** Why the task is being stopped; null if it is not. */
  stopReason: EndReason | null
  gpus: { uuid: string; index: number; simulated: boolean; milli: number }[]
  /** The cgroup on its node that the batch system made for it; null: none. */
  cgroup: string | null
  /** Number of tasks of the attempt; several tasks start together. */
  instances: number
  /** Index of the job's subnet; null for a job with one task. */
  networkIndex: number | null
  /** All tasks of the attempt by rank, including this one. */
  peers: Peer[]
}

/** A snapshot that a task mounts. */
export interface ClaimedMount {
  /** Where the job finds it. */
  path: string
  /** Name and version: `data/cifar10@1`. */
  name: string
  /** Null: its project was deleted. */
  archiveId: string | null
  /** The archive's hash, in hexadecimal. */
  hash: string
}

/** One task of an attempt and its node. */
export interface Peer {
  rank: number
  nodeId: string
  nodeName: string
  engineId: string
  /** The engine that really runs it; simulated nodes share their host's engine. */
  machineId: string
  /** Address of that machine for other nodes, if known. */
  address: string | null
  gpuCount: number
}

/** SQL for the seconds for which the container of a task has run: since its start, without pauses. Null before the start. */
export const ranSeconds = (task: string) =>
  `greatest(0, extract(epoch FROM coalesce(${task}.paused_at, now()) - ${task}.started_at) - ${task}.paused_seconds)`

const selectClaimed = `
  SELECT t.id, t.job_id AS "jobId", t.attempt, t.rank, t.status, t.cpu_milli AS "cpuMilli", t.memory_mib AS "memoryMib",
         e.image, e.network, e.prepare, j.spec, j.archive_id AS "archiveId", coalesce(c.content, '') AS code, j.command, j.time_limit_s AS "timeLimitS", j.expected_time_s AS "expectedTimeS", j.workspace,
         coalesce(${ranSeconds('t')}, 0)::float8 AS "ranSeconds", t.paused_at IS NOT NULL AS "wasPaused",
         t.stdout_consumed AS "stdoutConsumed", t.stderr_consumed AS "stderrConsumed",
         t.output_bytes AS "outputBytes", t.metrics, coalesce(t.reason, j.cancel_reason) AS "stopReason",
         coalesce((SELECT jsonb_agg(jsonb_build_object('uuid', g.uuid, 'index', g.index, 'simulated', g.simulated, 'milli', a.milli) ORDER BY g.index)
                     FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = t.id), '[]') AS gpus,
         coalesce((SELECT jsonb_agg(jsonb_build_object('path', m.path, 'name', m.name || '@' || m.version, 'archiveId', s.archive_id,
                                    'hash', encode(m.hash, 'hex')) ORDER BY m.path)
                     FROM job_mounts m LEFT JOIN snapshots s ON s.id = m.snapshot_id WHERE m.job_id = j.id), '[]') AS mounts,
         jsonb_build_object('id', pr.id, 'owner', o.handle, 'slug', pr.slug) AS project,
         CASE WHEN r.id IS NOT NULL THEN jsonb_build_object('id', r.id, 'projectId', r.project_id,
           'userId', coalesce(r.user_id, pr.owner_id), 'directory', r.directory) END AS run,
         jsonb_build_object('handle', u.handle, 'uid', u.unix_uid, 'gid', u.unix_gid) AS "user",
         (SELECT p.cgroup FROM slurm_jobs s JOIN slurm_steps p ON p.slurm_job_id = s.id AND p.restart = s.attempt_restart AND p.rank = t.rank
           WHERE s.job_id = t.job_id AND s.attempt = t.attempt AND s.ended_at IS NULL) AS cgroup,
         j.network_index AS "networkIndex", jsonb_array_length(peers.list) AS instances, peers.list AS peers
    FROM tasks t JOIN jobs j ON j.id = t.job_id JOIN environments e ON e.id = j.environment_id
    JOIN users u ON u.id = j.user_id JOIN projects pr ON pr.id = j.project_id JOIN users o ON o.id = pr.owner_id
    LEFT JOIN programs c ON c.hash = j.program_hash LEFT JOIN runs r ON r.id = j.named_run_id
    JOIN LATERAL (
      SELECT jsonb_agg(jsonb_build_object('rank', p.rank, 'nodeId', n.id, 'nodeName', n.name, 'engineId', n.engine_id,
                       'machineId', coalesce(h.engine_id, n.engine_id),
                       'address', CASE WHEN h.id IS NULL THEN n.address ELSE h.address END,
                       'gpuCount', (SELECT count(*) FROM allocations a WHERE a.task_id = p.id)) ORDER BY p.rank) AS list
        FROM tasks p JOIN nodes n ON n.id = p.node_id LEFT JOIN nodes h ON h.id = n.host_node_id WHERE p.job_id = t.job_id AND p.attempt = t.attempt) peers ON true`

/** Claims the tasks newly placed on this node. */
export async function claimTasks(lease: Lease): Promise<ClaimedTask[]> {
  const claim = {
    name: 'claim-tasks',
    // One statement, because each waits for a processor. It reads rows as they were before its update. Locked by id, as
    // everywhere. An array, because PostgreSQL then expects few tasks and reads no table as a whole.
    text: `WITH placed AS (
             SELECT id FROM tasks WHERE node_id = $1 AND status = 'scheduled' AND ${leaseHeld} ORDER BY id FOR UPDATE
           ), claimed AS (
             UPDATE tasks SET status = 'starting' FROM placed WHERE tasks.id = placed.id RETURNING tasks.id
           ) ${selectClaimed} WHERE t.id = ANY (ARRAY(SELECT id FROM claimed)) ORDER BY j.priority DESC, j.created_at`,
    values: [lease.nodeId, lease.leaseId],
  }
  const { rows } = await keyedTransaction((tx) => tx.query<Unparsed<ClaimedTask>>(claim))
  for (const { jobId } of rows) traceStep('claimed', jobId)
  return rows.map((row) => parseSpec({ ...row, status: 'starting' as const }))
}

/**
 * Returns the unfinished tasks of the node, whether this worker or an earlier one claimed them.
 * @throws {LeaseLost} without the lease: an empty list would make the worker remove another worker's containers.
 */
export async function unfinishedTasks(lease: Lease): Promise<ClaimedTask[]> {
  const { rows } = await database().pool.query<Unparsed<ClaimedTask>>(
    `${selectClaimed} WHERE t.node_id = $1 AND t.status IN ('starting', 'running') AND ${leaseHeld}`,
    [lease.nodeId, lease.leaseId],
  )
  // A lost lease never becomes valid again, so if it is held now, it was held during the query.
  if (rows.length === 0 && !(await holdsLease(lease))) throw new LeaseLost()
  return rows.map(parseSpec)
}

/**
 * Records that the container runs; task and job are then running. Idempotent.
 * @param imageDigest null for an adopted container, whose image may no longer exist.
 */
export async function markRunning(
  lease: Lease,
  task: ClaimedTask,
  imageDigest: string | null,
): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'mark-running',
    // The job is locked before the task, as everywhere.
    text: `WITH job AS (SELECT id FROM jobs WHERE id = $5 FOR UPDATE
           ), task AS (
             UPDATE tasks SET status = 'running', started_at = coalesce(started_at, now()) FROM job
              WHERE ${taskHeld} AND job_id = job.id RETURNING job_id, attempt, started_at
           ), image AS (
             UPDATE environments SET ran_at = now() WHERE image = $6 AND ran_at IS NULL
           ) ${startJobSql('$4')}`,
    values: [imageDigest, task.jobId, task.image],
  })
}

/** Records why the container is being stopped, because a worker that adopts it could not infer that from its exit. */
export async function recordStopReason(lease: Lease, task: ClaimedTask, reason: EndReason): Promise<void> {
  await writeTask(database().pool, lease, task.id, {
    name: 'record-stop-reason',
    text: `UPDATE tasks SET reason = coalesce(reason, $4) WHERE ${taskHeld}`,
    values: [reason],
  })
}
