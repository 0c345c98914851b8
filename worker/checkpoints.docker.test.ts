import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { checkpointKey } from '@/lib/checkpoints/checkpoint-files'
import { preemptJobs } from '@/lib/cluster/placement/place'
import { setDatabase } from '@/lib/database/client'
import { collectOutput } from '@/lib/results/decode'
import { resultKey } from '@/lib/results/name'
import { s3Store } from '@/lib/storage/s3'
import { type S3Server, startS3Server } from '@/lib/storage/testing/s3-server'
import { it, type LabFixtures } from './testing/lab-test'
import { listBelow } from './testing/list-below'
import { expectAllTrue } from './testing/truth'

let server: S3Server
beforeAll(async () => {
  server = await startS3Server({ complete: true })
})
afterAll(async () => {
  await server.stop()
})

/** Two nodes that share no disk, but a bucket. */
async function startLab(openLab: LabFixtures['openLab'], name: string) {
  const lab = await openLab()
  const { bucket, endpoint = '', credentials } = server.options
  const variables = {
    GPUQ_STORAGE: `s3://${bucket}/${name}`,
    GPUQ_S3_ENDPOINT: endpoint,
    GPUQ_S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    GPUQ_S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  }
  const a = await lab.startWorker({ node: 'a', variables })
  const b = await lab.startWorker({ node: 'b', variables })
  return { lab, workers: { a, b }, store: s3Store({ ...server.options, prefix: `${name}/` }) }
}
type Opened = Awaited<ReturnType<typeof startLab>>

/** Steps that the second attempt makes; the first one makes them without end. */
const steps = 20
/** A tenth of a second each, and a checkpoint every second: a large file, then the small one that names it. */
const training = `
import os, signal, sys, time
home = os.environ["GPUQ_CHECKPOINT_DIR"]
def read(name):
    return open(os.path.join(home, name)).read()
last = read("latest") if os.path.exists(home + "/latest") else None
step = first = int(read(last + "/weights").strip("-")) if last else 0
print("from", step, *sorted(os.listdir(home)), flush=True)
def save(kept):
    os.makedirs(f"{home}/step-{step}", exist_ok=True)
    open(f"{home}/step-{step}/weights", "w").write("-" * 2_000_000 + str(step))
    open(home + "/latest.part", "w").write(f"step-{step}")
    os.replace(home + "/latest.part", home + "/latest")
    for old in kept[:-1]:
        os.remove(old + "/weights")
        os.rmdir(old)
    return [f"{home}/step-{step}"]
kept = [f"{home}/{last}"] if last else []
def leave(*_):
    open(home + "/last-words", "w").write("asked to go")
    save([])
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
saved = time.monotonic()
while os.environ["GPUQ_ATTEMPT"] == "1" or step < first + ${steps}:
    time.sleep(0.1)
    step += 1
    print("step", step, flush=True)
    if time.monotonic() - saved >= 1:
        kept = save(kept)
        saved = time.monotonic()`
/** Steps that two seconds are enough for. */
const twoSeconds = 20

const lastStep = (text: string) => Number([...text.matchAll(/^step (\d+)$/gm)].at(-1)?.[1] ?? 0)

/** What the finished job has printed in its last attempt. */
async function linesOf({ lab, store }: Opened, job: string): Promise<string[]> {
  await lab.jobs.until('its result is stored', async () => (await lab.jobs.row(job)).resultStored)
  const { rows } = await lab.database.pool.query<{ name: string }>(
    'SELECT name FROM result_files WHERE job_id = $1',
    [job],
  )
  const { stream } = await store.open(resultKey(rows[0]?.name ?? ''))
  return (await collectOutput(stream, { maxBytes: 1 << 26 })).stdout.split('\n')
}

/** The step from which another attempt would go on now; 0 before there is one. */
async function storedStep({ lab, store }: Opened, job: string): Promise<number> {
  const { rows } = await lab.database.pool.query<{ projectId: string; directory: string; object: string }>(
    `SELECT r.project_id AS "projectId", r.directory, f.object
       FROM jobs j JOIN runs r ON r.id = j.named_run_id JOIN checkpoint_files f ON f.run_id = r.id
      WHERE j.id = $1 AND f.path = 'latest'`,
    [job],
  )
  const [latest] = rows
  if (!latest) return 0
  const key = checkpointKey(latest, latest.object)
  // What is replaced at this moment is gone from the bucket.
  const opened = await store.open(key).catch(() => null)
  if (!opened) return 0
  const pieces: Buffer[] = []
  for await (const piece of opened.stream) pieces.push(piece)
  return Number(/^step-(\d+)$/.exec(Buffer.concat(pieces).toString())?.[1] ?? 0)
}

async function expectNothingLeft({ lab }: Opened): Promise<void> {
  await lab.jobs.until('no checkpoints are left on the nodes', async () => {
    const found = await Promise.all(['a', 'b'].map((node) => listBelow(join(lab.directory, node, 'tasks'))))
    return found.flat().every((path) => !/\.checkpoints\/./.test(path))
  })
  await expectAllTrue(lab)
}

describe.concurrent('checkpoints in a bucket', () => {
  it('let the run continue after its worker and its machine are lost', async ({ openLab }) => {
    const opened = await startLab(openLab, 'lost')
    const { lab, workers } = opened
    const job = await lab.jobs.submit(training, { spec: { run_name: 'base' } })
    await lab.jobs.untilPrinted(job, /step 40\n/)
    const stored = await lab.jobs.until('a checkpoint of the last two seconds is stored', async () => {
      const step = await storedStep(opened, job)
      return lastStep(await lab.jobs.untilPrinted(job, /step/)) - step <= twoSeconds && step
    })
    const node = (await lab.jobs.task(job))?.node === 'a' ? 'a' : 'b'
    await workers[node].kill()
    for (const { id } of await lab.containers()) await lab.engine.remove(id)
    await lab.expireLease(node)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    const lines = await linesOf(opened, job)
    const from = Number(/^from (\d+) /.exec(lines[0] ?? '')?.[1])
    expect(from).toBeGreaterThanOrEqual(stored)
    expect(lines).toContain(`step ${from + steps}`)
    workers[node].start()
    await expectNothingLeft(opened)
  })

  it('contain the last files that a preempted program wrote', async ({ openLab }) => {
    const opened = await startLab(openLab, 'preempted')
    const { lab } = opened
    const job = await lab.jobs.submit(training, { spec: { run_name: 'base' }, maxRetries: 0 })
    const printed = await lab.jobs.untilPrinted(job, /step 25\n/)
    setDatabase(lab.database)
    await preemptJobs([{ jobId: job, forJobId: await lab.jobs.submit('print("first")') }])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    const [first = ''] = await linesOf(opened, job)
    expect(Number(/^from (\d+) /.exec(first)?.[1])).toBeGreaterThanOrEqual(lastStep(printed))
    expect(first).toMatch(/last-words latest step-\d+/)
    await expectNothingLeft(opened)
  })
})
