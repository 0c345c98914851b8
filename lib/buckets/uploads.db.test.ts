import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProject, updateProject } from '../access/projects/projects'
import { makePerson, type Person } from '../access/testing/people'
import { finishTask } from '../cluster/tasks/finish-task'
import { unfinishedTasks } from '../cluster/tasks/tasks'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { parseConfig } from '../contract/config/config'
import { testDatabase } from '../database/testing/test-database'
import { deleteJobFiles } from '../jobs/lifecycle/delete-files'
import { deleteOldFiles } from '../jobs/lifecycle/retention'
import { readJob } from '../jobs/read/read'
import { accept } from '../jobs/submission/accept'
import { artifactKey } from '../results/name'
import { storeResult } from '../results/result-files'
import { diskStore } from '../storage/disk'
import { connectS3 } from '../storage/s3-client'
import { setStorage, storage } from '../storage/storage'
import { freePort, type S3Server, startS3Server } from '../storage/testing/s3-server'
import { changeBucketKeys, createBucket, deleteBucket } from './buckets'
import { createBucketSchema } from './contract'
import { storeUpload } from './store-upload'
import { storeUploads } from './store-uploads'
import { dueUploads } from './upload-rows'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()
const port = await freePort()
const endpoint = `http://127.0.0.1:${port}`
const keys = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' }

let [admin, ada] = [] as unknown as [Person, Person]
let directory: string
let server: S3Server | undefined
let projectId: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-uploads-'))
  setStorage(diskStore(directory))
  server = await startS3Server({ complete: true, port })
  ;[admin, ada] = [await makePerson('admin'), await makePerson('researcher', 'ada')]
  // It creates the default environment.
  await makeJob({ held: true })
  await createBucket(
    admin.actor,
    createBucketSchema.parse({ name: 'research', bucket: 'gpuq-tests', endpoint, ...keys }),
  )
  projectId = (await createProject(ada.actor, { project_id: 'first-tries', members: [] })).id
  await updateProject(admin.actor, projectId, { bucket: 'research' })
})
beforeEach(async () => {
  server ??= await startS3Server({ complete: true, port })
})
afterAll(async () => {
  await server?.stop()
  await rm(directory, { recursive: true })
})

async function stopServer(): Promise<void> {
  await server?.stop()
  server = undefined
}

async function submit(extra = ''): Promise<string> {
  const parsed = parseConfig(
    `competition_id: c\nproject_id: first-tries\nexpected_time: 10\ncpu: 0.1\nmemory_gb: 0.1\n${extra}`,
  )
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  const code = Buffer.from('print(1)')
  const bodyHash = createHash('sha256').update(code).digest()
  const limits = { submissionsPerMinute: 1000, maxActiveJobs: 1000 }
  const { jobId } = await accept(
    { ...ada.actor, limits },
    {
      code,
      runId: null,
      config: parsed.config,
      bodyHash,
      idempotencyKey: null,
    },
  )
  return jobId
}

/** A completed job that printed a line and wrote files to /results. */
async function completedJob(files: Record<string, string> = {}): Promise<string> {
  const job = await submit()
  const lease = await makeNode()
  const taskId = await placeManually(lease.nodeId, job)
  const records = `{"type":"stdout","t":"2026-11-23T06:00:00.000Z","text":"step 1"}\n`
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    taskId,
    Buffer.from(records),
  ])
  await db.pool.query('UPDATE tasks SET output_bytes = $2 WHERE id = $1', [taskId, records.length])
  for (const [path, content] of Object.entries(files)) {
    const id = uuidv7()
    const parts = [Buffer.from(content)]
    const stored = await storage().write(
      artifactKey({ jobId: job, attempt: 1, rank: 0 }, id),
      toStream(parts),
    )
    await db.pool.query(
      'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5)',
      [id, job, path, stored.bytes, stored.sha256],
    )
  }
  const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
  if (!task) throw new Error('The task does not exist.')
  await finishTask(lease, task, { reason: 'finished', detail: null, exitCode: 0 })
  await storeResult(job)
  return job
}

async function* toStream(parts: Buffer[]): AsyncGenerator<Buffer> {
  yield* parts
}

async function objectOf(key: string): Promise<string | null> {
  const client = await connectS3({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  })
  try {
    const { Body } = await client.getObject({ Bucket: 'gpuq-tests', Key: key })
    return (await Body?.transformToString()) ?? null
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return null
    throw error
  } finally {
    client.destroy()
  }
}

const copyOf = async (job: string) => (await readJob(ada.actor, job)).bucket
/** The column has a resolution of milliseconds and may round up. */
const makeDue = () =>
  db.pool.query(`UPDATE job_uploads SET next_try_at = now() - interval '1 second' WHERE settled_at IS NULL`)

describe('the results of a job of a project with a bucket', () => {
  it('have a URL from the submission on, and arrive with the final log after the end', async () => {
    const waiting = await submit()
    const url = `s3://gpuq-tests/gpuq/${waiting}`
    expect(await copyOf(waiting)).toMatchObject({ url, log_url: `${url}/log.txt`, state: 'waiting' })
    expect(await dueUploads(10)).toEqual([])

    const odd = `deep/${Array.from({ length: 30 }, () => 'x'.repeat(60)).join('/')}`
    const job = await completedJob({ 'weights.bin': 'weights', 'plots/loss über.png': 'png', [odd]: 'long' })
    expect(await copyOf(job)).toMatchObject({ state: 'storing', attempts: 0 })
    await makeDue()
    expect(await dueUploads(10)).toEqual([job])
    await Promise.all([storeUpload(job), storeUpload(job)])
    expect(await copyOf(job)).toMatchObject({
      state: 'stored',
      attempts: 1,
      problem: null,
      stored_at: expect.stringMatching(/^\d{4}-/),
    })
    expect(await objectOf(`gpuq/${job}/log.txt`)).toBe('step 1\n')
    const { result_file } = await readJob(ada.actor, job)
    const own = await text((await storage().open(`results/${result_file}`)).stream)
    expect(await objectOf(`gpuq/${job}/result.jsonl`)).toBe(own)
    expect(await objectOf(`gpuq/${job}/artifacts/weights.bin`)).toBe('weights')
    expect(await objectOf(`gpuq/${job}/artifacts/plots/loss über.png`)).toBe('png')
    const { rows } = await db.pool.query<{ id: string }>(
      `SELECT id FROM artifacts WHERE job_id = $1 AND path LIKE 'deep/%'`,
      [job],
    )
    expect(await objectOf(`gpuq/${job}/artifacts/${rows[0]?.id}`)).toBe('long')
  })

  it('stay in gpuq while the bucket is down; the job shows why, and they arrive later', async () => {
    const job = await completedJob({ 'weights.bin': 'weights' })
    await stopServer()
    const waits: number[] = []
    for (let attempts = 1; attempts <= 2; attempts++) {
      await makeDue()
      await storeUpload(job)
      expect(await copyOf(job)).toMatchObject({
        state: 'storing',
        attempts,
        problem: expect.stringMatching(/"gpuq-tests" is not reachable/),
        next_try_at: expect.any(String),
      })
      expect(await dueUploads(10)).toEqual([])
      const { rows } = await db.pool.query<{ wait: number }>(
        'SELECT extract(epoch FROM next_try_at - now())::float8 AS wait FROM job_uploads WHERE job_id = $1',
        [job],
      )
      waits.push(rows[0]?.wait ?? 0)
    }
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0)
    expect(await readJob(ada.actor, job)).toMatchObject({
      status: 'completed',
      result_file: expect.any(String),
    })
    await expect(deleteBucket(admin.actor, 'research')).rejects.toMatchObject({ status: 409 })

    server = await startS3Server({ complete: true, port })
    // New keys make it due at once.
    await changeBucketKeys(admin.actor, 'research', keys)
    const stop = new AbortController()
    const loop = storeUploads(stop.signal)
    await expect.poll(async () => (await copyOf(job))?.state).toBe('stored')
    stop.abort()
    await loop
    expect(await objectOf(`gpuq/${job}/log.txt`)).toBe('step 1\n')
    expect(await objectOf(`gpuq/${job}/artifacts/weights.bin`)).toBe('weights')
  })

  it('do not arrive if the secret of the sessions was replaced; the job says what to do', async () => {
    const job = await completedJob()
    const { rows } = await db.pool.query<{ keys: Buffer }>('SELECT keys FROM buckets')
    await db.pool.query(`UPDATE buckets SET keys = '\\x00' || keys`)
    await makeDue()
    await storeUpload(job)
    expect(await copyOf(job)).toMatchObject({
      state: 'storing',
      problem: expect.stringContaining('gpuq buckets keys'),
    })
    await db.pool.query('UPDATE buckets SET keys = $1', [rows[0]?.keys])
    await makeDue()
    await storeUpload(job)
    expect(await copyOf(job)).toMatchObject({ state: 'stored' })
  })

  it('are kept beyond the retention until they have arrived', async () => {
    const job = await completedJob({ 'a.txt': 'a' })
    await db.pool.query(`UPDATE projects SET retention_days = 1 WHERE id = $1`, [projectId])
    await db.pool.query(
      `UPDATE jobs SET created_at = now() - interval '9 days', started_at = now() - interval '9 days', ended_at = now() - interval '8 days' WHERE id = $1`,
      [job],
    )
    await deleteOldFiles()
    expect(await readJob(ada.actor, job)).toMatchObject({ files_deleted: null })
    await makeDue()
    await storeUpload(job)
    await deleteOldFiles()
    expect(await readJob(ada.actor, job)).toMatchObject({
      files_deleted: 'retention',
      bucket: { state: 'stored' },
    })
    expect(await objectOf(`gpuq/${job}/artifacts/a.txt`)).toBe('a')
    await db.pool.query(`UPDATE projects SET retention_days = NULL WHERE id = $1`, [projectId])
  })

  it('do not arrive if their owner has deleted them before', async () => {
    const job = await completedJob()
    await deleteJobFiles(ada.actor, job)
    await makeDue()
    await storeUpload(job)
    expect(await copyOf(job)).toMatchObject({
      state: 'lost',
      problem: expect.stringContaining('deleted before'),
    })
    expect(await objectOf(`gpuq/${job}/log.txt`)).toBeNull()
  })
})

describe('the key bucket of a config', () => {
  it('is the registered name of the bucket of the project, or its name on the server', async () => {
    for (const name of ['research', 'gpuq-tests'])
      expect(await copyOf(await submit(`bucket: ${name}\n`))).toMatchObject({ state: 'waiting' })
    await expect(submit('bucket: other\n')).rejects.toMatchObject({
      status: 422,
      errors: [{ path: 'bucket', message: expect.stringContaining('"research"') }],
    })
  })

  it('is refused in a project without a bucket', async () => {
    await updateProject(admin.actor, projectId, { bucket: null })
    await expect(submit('bucket: research\n')).rejects.toMatchObject({
      status: 422,
      errors: [{ path: 'bucket', message: expect.stringContaining('has no bucket') }],
    })
    expect(await copyOf(await submit())).toBeNull()
  })
})
