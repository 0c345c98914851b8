import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { secretOfDirectory } from '@/lib/access/sessions/session-secret'
import { makePerson, makeToken, type Person } from '@/lib/access/testing/people'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { finishTask } from '@/lib/cluster/tasks/finish-task'
import { unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode, setRun } from '@/lib/cluster/testing/rows'
import { database } from '@/lib/database/client'
import { insertMounts } from '@/lib/jobs/submission/submission-mounts'
import { artifactKey } from '@/lib/results/name'
import { storeResult } from '@/lib/results/result-files'
import { upload } from '@/lib/routes/testing/upload'
import { pushSnapshot } from '@/lib/snapshots/push-snapshot'
import { diskStore } from '@/lib/storage/disk'
import { setStorage, storage } from '@/lib/storage/storage'
import { attachArchive, partsOf, projectOf } from './attached-archive'
import { addNeighbours, type Neighbours } from './neighbours'

/** A data directory in use: people, tokens, a node, and a job in every status with all that jobs can leave. */
export interface EveryState {
  admin: { token: string }
  ada: { token: string; email: string; password: string }
  node: string
  /** Job ids by what they are. */
  jobs: Record<JobKind, string>
  /** Absent in the first fixture. */
  neighbours?: Neighbours
}

type JobKind =
  | 'submitted'
  | 'waiting'
  | 'held'
  | 'scheduled'
  | 'starting'
  | 'running'
  | 'retried'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'withdrawn'
  | 'unstored'

const line = (text: string) =>
  `${JSON.stringify({ type: 'stdout', t: '2026-11-22T20:00:00.000Z', text: `${text}\n` })}\n`
const program = `import json; print("started again", flush=True); print(json.dumps({"type": "result", "score": 1}))`

/** Fills this process's empty database and the data directory, mostly by the code that gpuq itself runs. */
export async function fillEveryState(dataDir: string): Promise<EveryState> {
  setStorage(diskStore(dataDir))
  await secretOfDirectory(dataDir)
  const admin = await makePerson('admin', 'root')
  const ada = await makePerson('researcher', 'ada')
  const tokens = {
    admin: await makeToken(admin, ['submit', 'read', 'admin'], '100 years'),
    ada: await makeToken(ada, ['submit', 'read'], '100 years'),
  }
  const lease = await makeNode({ name: 'box', gpus: 8 })
  const jobs = await makeJobs(ada, lease)
  await addRun(dataDir, ada, jobs.running)
  await addTraces(admin, ada, lease, jobs)
  const neighbours = await addNeighbours(dataDir, ada, jobs.completed)
  return {
    admin: { token: tokens.admin.token },
    ada: { token: tokens.ada.token, email: ada.email, password: ada.password },
    node: 'box',
    jobs,
    neighbours,
  }
}

async function makeJobs(ada: Person, lease: Lease): Promise<EveryState['jobs']> {
  const make = (name: string, options: Parameters<typeof makeJob>[0] = {}) =>
    makeJob({ userId: ada.id, project: 'thesis', code: program, ...options }).then(async (id) => {
      await database().pool.query('UPDATE jobs SET name = $2 WHERE id = $1', [id, name])
      return id
    })
  const waiting = await make('waiting', { priority: 3 })
  const jobs: EveryState['jobs'] = {
    submitted: await submit(ada),
    waiting,
    held: await make('held', { held: true }),
    scheduled: await make('scheduled'),
    starting: await make('starting'),
    running: await make('running'),
    retried: await make('retried'),
    completed: await make('completed'),
    failed: await make('failed', { maxRetries: 0 }),
    cancelled: await make('cancelled'),
    withdrawn: await make('withdrawn'),
    unstored: await make('unstored'),
  }
  const { pool } = database()
  await place(lease, jobs.scheduled, 0)
  await pool.query(`UPDATE jobs SET status = 'scheduled', started_at = NULL WHERE id = $1`, [jobs.scheduled])
  await pool.query(`UPDATE tasks SET status = 'scheduled', started_at = NULL WHERE job_id = $1`, [
    jobs.scheduled,
  ])
  await place(lease, jobs.starting, 1)
  await pool.query(`UPDATE jobs SET status = 'scheduled', started_at = NULL WHERE id = $1`, [jobs.starting])
  await pool.query(`UPDATE tasks SET status = 'starting', started_at = NULL WHERE job_id = $1`, [
    jobs.starting,
  ])
  await addOutput(await place(lease, jobs.running, 2), 20)
  await retry(lease, jobs.retried)
  const archive = await attachArchive(await projectOf(ada, 'thesis'), jobs.completed, 'learning_rate: 0.1\n')
  const snapshot = await pushSnapshot(ada.actor, archive.project, { name: 'code', archive: archive.hash })
  const mount = { ...snapshot, path: '/data', snapshotId: snapshot.id, hash: snapshot.archive }
  await insertMounts(pool, jobs.completed, [mount])
  await end(lease, jobs.completed, 4, { reason: 'finished', detail: null, exitCode: 0 })
  await addArtifacts(jobs.completed)
  await addWorkingFile(jobs.completed)
  await end(lease, jobs.failed, 5, { reason: 'exit_code', detail: 'Exit code 3.', exitCode: 3 })
  await end(lease, jobs.cancelled, 6, { reason: 'cancelled_by_user', detail: null, exitCode: 137 })
  for (const id of [jobs.completed, jobs.failed, jobs.cancelled]) await storeResult(id)
  await end(lease, jobs.unstored, 7, { reason: 'finished', detail: null, exitCode: 0 })
  await pool.query(
    `UPDATE jobs SET status = 'cancelled', reason = 'cancelled_by_user', ended_at = now(), cancelled_while_waiting = true
      WHERE id = $1`,
    [jobs.withdrawn],
  )
  await storeResult(jobs.withdrawn)
  return jobs
}

/** A job of the API, whose stored spec has most keys of a config. */
async function submit(ada: Person): Promise<string> {
  const config = `
name: "submitted: by the API"
environment: python
gpu_count: 1
gpu_memory_gb: 1
cpu: 0.5
memory_gb: 0.25
priority: -1
max_time: 900
max_retries: 1
env: { SEED: "1", EMPTY: "" }
args: ["--epochs", "10", "a b"]
run_name: base-2
tags: [baseline, "ünïcode"]
`
  await database().pool.query('UPDATE users SET max_active_jobs = 100 WHERE id = $1', [ada.id])
  const { status, body } = await upload(ada, { code: program, config })
  if (status !== 202) throw new Error(`The submission was refused: ${JSON.stringify(body)}`)
  return String(body.job_id)
}

async function place(lease: Lease, job: string, gpu: number): Promise<string> {
  return placeManually(lease.nodeId, job, { indices: [gpu], cpuMilli: 500, memoryMib: 256 })
}

async function addOutput(taskId: string, lines: number): Promise<void> {
  const records = Buffer.from(Array.from({ length: lines }, (_, number) => line(`line ${number}`)).join(''))
  const { pool } = database()
  await pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [taskId, records])
  await pool.query('UPDATE tasks SET output_bytes = $2, stdout_consumed = $2 WHERE id = $1', [
    taskId,
    records.length,
  ])
}

async function end(
  lease: Lease,
  job: string,
  gpu: number,
  outcome: Parameters<typeof finishTask>[2],
): Promise<void> {
  const taskId = await place(lease, job, gpu)
  await addOutput(taskId, 100)
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, outcome)
}

/** A job whose first attempt ended with its node, and whose second one runs. */
async function retry(lease: Lease, job: string): Promise<void> {
  const first = await place(lease, job, 3)
  const { pool } = database()
  await pool.query(
    `UPDATE tasks SET status = 'lost', reason = 'node_lost', detail = 'The node was "box".', ended_at = now() WHERE id = $1`,
    [first],
  )
  await pool.query('UPDATE allocations SET released_at = now() WHERE task_id = $1', [first])
  await pool.query('UPDATE gpus SET allocated_milli = 0 WHERE node_id = $1 AND index = 3', [lease.nodeId])
  await pool.query(`UPDATE jobs SET status = 'pending', started_at = NULL WHERE id = $1`, [job])
  await addOutput(await place(lease, job, 3), 5)
}

async function addArtifacts(job: string): Promise<void> {
  for (const [path, content] of [
    ['plots/loss.txt', Buffer.from('0.9 0.5 0.1\n')],
    ['wei ghts\u202e.bin', randomBytes(2_000)],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    const id = uuidv7()
    const stored = await storage().write(
      artifactKey({ jobId: job, attempt: 1, rank: 0 }, id),
      partsOf(content),
    )
    await database().pool.query(
      'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5)',
      [id, job, path, stored.bytes, stored.sha256],
    )
  }
}

/** A file that the job wrote in its working directory. */
async function addWorkingFile(job: string): Promise<void> {
  const id = uuidv7()
  const task = { jobId: job, attempt: 1, rank: 0 }
  const { bytes, sha256 } = await storage().write(artifactKey(task, id), partsOf(Buffer.from('step 1\n')))
  await database().pool.query(
    `INSERT INTO working_files (id, job_id, attempt, rank, path, bytes, sha256, executable)
     VALUES ($1, $2, 1, 0, 'logs/train.log', $3, $4, false)`,
    [id, job, bytes, sha256],
  )
}

/** The running job is of a named run, which keeps checkpoints in the data directory. */
async function addRun(dataDir: string, ada: Person, job: string): Promise<void> {
  const { rows } = await database().pool.query<{ project_id: string }>(
    `UPDATE jobs SET spec = '{"run_name": "cifar"}' WHERE id = $1 AND user_id = $2 RETURNING project_id`,
    [job, ada.id],
  )
  const directory = join(dataDir, 'checkpoints', rows[0]?.project_id ?? '', await setRun(job, 'cifar'))
  await mkdir(join(directory, 'epochs', 'ünïcode'), { recursive: true })
  await writeFile(join(directory, 'last.pt'), randomBytes(3_000))
  await writeFile(join(directory, 'epochs', 'ünïcode', 'a file with spaces'), 'epoch 1\n')
  await writeFile(join(directory, 'epochs', 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
}

/** Rows of the other tables. */
async function addTraces(admin: Person, ada: Person, lease: Lease, jobs: EveryState['jobs']): Promise<void> {
  const { pool } = database()
  const command = await makeJob({
    userId: ada.id,
    project: 'thesis',
    code: '',
    command: 'echo from the queue',
  })
  await pool.query(`UPDATE jobs SET run_id = 'sweep-1' WHERE id = $1`, [command])
  await pool.query(`UPDATE nodes SET warnings = ARRAY['an old engine, "20.10"', 'a, b'] WHERE id = $1`, [
    lease.nodeId,
  ])
  await pool.query(
    `INSERT INTO terminal_inputs (task_id, bytes) SELECT id, '\\x006c73ff0a' FROM tasks WHERE job_id = $1`,
    [jobs.running],
  )
  await pool.query(
    `INSERT INTO task_usage (task_id, interval_s, cpu_cores, memory_mib)
     SELECT id, 5, '{0.1,NULL,1.5}', '{100,NULL,2000}' FROM tasks WHERE job_id = $1`,
    [jobs.running],
  )
  await pool.query(
    `INSERT INTO gpu_samples (gpu_id, at, load, memory_used_mib, power_w) SELECT id, now(), 0.1 + 0.2, 1000, 71.123456789 FROM gpus`,
  )
  await pool.query(`INSERT INTO model_requirements (name, milli) VALUES ('llama-3', 2000)`)
  const target = uuidv7()
  await pool.query(
    `INSERT INTO notification_targets (id, user_id, kind, name, address, config, events)
     VALUES ($1, $2, 'webhook', 'a server', 'https://example.org', '\\x00ff0a', '{job.failed}')`,
    [target, ada.id],
  )
  await pool.query(`INSERT INTO webhook_secrets (user_id, secret) VALUES ($1, '\\x00ff0a')`, [ada.id])
  await pool.query(
    `INSERT INTO notification_deliveries (id, user_id, target_id, job_id, event, data, lane, settled_at, response)
     VALUES ($1, $2, $3, $4, 'job.completed', '{"status": "completed"}', 'a lane', now(), 'ok')`,
    [uuidv7(), ada.id, target, jobs.completed],
  )
  const bucket = uuidv7()
  await pool.query(
    `INSERT INTO buckets (id, name, region, bucket, keys) VALUES ($1, 'research', 'us-east-1', 'research', '\\x00ff0a')`,
    [bucket],
  )
  await pool.query(`UPDATE projects SET bucket_id = $2 WHERE owner_id = $1`, [ada.id, bucket])
  await pool.query(
    `INSERT INTO job_uploads (job_id, bucket_id, url) VALUES ($1, $2, 's3://research/gpuq/1')`,
    [jobs.completed, bucket],
  )
  await pool.query(
    `INSERT INTO audit_events (id, actor_id, action, target, detail) VALUES ($1, $2, 'user.update', 'ada', '{"role": "researcher", "note": null}')`,
    [uuidv7(), admin.id],
  )
  await pool.query(
    `INSERT INTO idempotency_keys (user_id, key, body_hash, job_id) VALUES ($1, 'once', $2, $3)`,
    [ada.id, randomBytes(32), jobs.completed],
  )
  await pool.query(
    `INSERT INTO accounts (provider, provider_account_id, user_id) VALUES ('github', '4711', $1)`,
    [ada.id],
  )
  await pool.query(`UPDATE projects SET retention_days = NULL, gpu_hour_budget = 0.1 WHERE owner_id = $1`, [
    ada.id,
  ])
}
