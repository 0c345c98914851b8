import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { queueSubmitSchema } from '@/lib/contract/queue'
import { setHeld } from '@/lib/queue/hold'
import { setPriority } from '@/lib/queue/priority'
import { submitToQueue } from '@/lib/queue/submit'
import { counting, expectCounted } from '../testing/adoption'
import { actorOf, cancel } from '../testing/cancel'
import type { Lab } from '../testing/lab'
import { expectAllTrue } from '../testing/truth'
import { giveDirectory } from '../testing/uploaded-directory'
import { SlurmSystem } from './testing/slurm-system'

const small = { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }
/** All GPUs of both nodes: nothing else starts beside it. */
const everything = { ...small, gpu_count: 8, instance_count: 2 }
const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'

/**
 * What a user sees of a job must not depend on the engine. Other tests show the same of the builtin engine. The cases share a
 * system, and leave it empty.
 */
describe('under the engine slurm, a job', { concurrent: false }, () => {
  let system: SlurmSystem
  let lab: Lab
  beforeAll(async () => {
    system = await SlurmSystem.open()
    lab = system.lab
  })
  afterAll(() => system?.close())
  afterEach(async () => {
    // A case that failed must not keep the next ones waiting.
    const { rows } = await lab.database.pool.query<{ id: string }>(
      `SELECT id FROM jobs WHERE status IN ('pending', 'scheduled', 'running')`,
    )
    for (const { id } of rows) await cancel(lab, id)
    await expectAllTrue(lab)
    await system.settled()
  })

  const submit = (code: string, options: JobOptions = {}) =>
    lab.jobs.submit(code, { ...options, spec: { ...small, ...options.spec } })

  /** Occupies all GPUs until it is cancelled. */
  async function block(): Promise<string> {
    const blocker = await submit(forever, { spec: everything })
    await lab.jobs.untilPrinted(blocker, /started/)
    return blocker
  }

  async function untilCancelled(job: string): Promise<void> {
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_user',
    })
  }

  it('runs to its end with its environment and arguments, and its result has all of its output', async () => {
    const code = `import json, os, sys
print("text")
print("problem", file=sys.stderr)
print(json.dumps({"seed": os.environ["SEED"], "args": sys.argv[1:]}))`
    const job = await submit(code, {
      spec: { env: { SEED: 'a b' }, args: ['--lr', '$(x) "y"'] },
    })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', exitCode: 0, attempt: 1 })
    const records = await lab.jobs.records(job)
    expect(records.at(0)).toMatchObject({ type: 'job' })
    expect(records).toContainEqual(expect.objectContaining({ type: 'stdout', text: 'text' }))
    expect(records).toContainEqual(expect.objectContaining({ type: 'stderr', text: 'problem' }))
    expect(records).toContainEqual(
      expect.objectContaining({ type: 'result', data: { seed: 'a b', args: ['--lr', '$(x) "y"'] } }),
    )
    expect(records.at(-1)).toMatchObject({ type: 'exit', status: 'completed', exit_code: 0 })
  })

  it('fails with the exit code of its program, and is not retried', async () => {
    const job = await submit('print("before")\nraise SystemExit(3)')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 3,
      attempt: 1,
    })
    expect(await lab.jobs.lines(job)).toEqual(['before'])
  })

  it('finds the uploaded directory where it starts', async () => {
    const job = await submit('from pkg.numbers import answer\nprint(answer, open("data.txt").read())', {
      held: true,
    })
    await giveDirectory(lab, job, { 'pkg/numbers.py': 'answer = 42\n', 'data.txt': 'text' })
    await lab.jobs.letGo(job)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.lines(job)).toEqual(['42 text'])
  })

  it('runs on two nodes that reach each other by name', async () => {
    const code =
      'import os, socket\nprint("rank", os.environ["GPUQ_RANK"], "of", os.environ["WORLD_SIZE"], socket.gethostbyname(os.environ["MASTER_ADDR"]))'
    const job = await submit(code, { spec: { instance_count: 2 } })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const lines = (await lab.jobs.lines(job)).filter((line) => line.startsWith('rank'))
    const [, address] = /of 2 (\S+)$/.exec(lines[0] ?? '') ?? []
    expect(lines.sort()).toEqual([`rank 0 of 2 ${address}`, `rank 1 of 2 ${address}`])
    const { rows } = await lab.database.pool.query(
      'SELECT n.name FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 ORDER BY 1',
      [job],
    )
    expect(rows).toEqual([{ name: 'n0' }, { name: 'n1' }])
  })

  it('is cancelled while it waits, with a reason for its wait, and while it runs', async () => {
    const blocker = await block()
    const job = await submit('print(1)')
    await lab.jobs.until('it has a reason', async () => (await lab.jobs.row(job)).reason === 'slurm_pending')
    await cancel(lab, job)
    await untilCancelled(job)
    expect((await lab.jobs.row(job)).attempt).toBe(0)
    await cancel(lab, blocker)
    await untilCancelled(blocker)
  })

  it('starts before an earlier one if its priority was raised', async () => {
    const blocker = await block()
    const later = await submit('print(1)', { spec: everything })
    const urgent = await submit('print(1)', { spec: everything })
    const admin = await actorOf(lab, urgent, 'admin')
    // As after a minute in the queue: both are in Slurm already.
    await lab.jobs.until('both are in Slurm', async () => {
      const { rowCount } = await lab.database.pool.query(
        'SELECT 1 FROM slurm_jobs WHERE ended_at IS NULL AND slurm_id IS NOT NULL',
      )
      return rowCount === 3
    })
    await lab.inDatabase(() => setPriority(admin, urgent, 60))
    await lab.jobs.until('Slurm knows it', async () => {
      const { rowCount } = await lab.database.pool.query(
        'SELECT 1 FROM slurm_jobs WHERE job_id = $1 AND nice = 40',
        [urgent],
      )
      return rowCount === 1
    })
    await cancel(lab, blocker)
    for (const job of [later, urgent])
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    const { rows } = await lab.database.pool.query<{ job: string }>(
      'SELECT job_id AS job FROM tasks WHERE rank = 0 AND job_id = ANY ($1) ORDER BY created_at',
      [[later, urgent]],
    )
    expect(rows.map(({ job }) => job)).toEqual([urgent, later])
  })

  it('does not start while it is held', async () => {
    const blocker = await block()
    const job = await submit('print("released")', { spec: everything })
    const owner = await actorOf(lab, job)
    await lab.jobs.until(
      'it waits for the other',
      async () => (await lab.jobs.row(job)).reason === 'slurm_pending',
    )
    await lab.inDatabase(() => setHeld(owner, job, true))
    await lab.jobs.until('Slurm holds it', async () => (await lab.jobs.row(job)).reason === 'slurm_held')
    await cancel(lab, blocker)
    await untilCancelled(blocker)
    // The engine examines the queue for a later job.
    const later = await submit('print(1)', { spec: everything })
    expect(await lab.jobs.untilFinal(later)).toMatchObject({ status: 'completed' })
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', reason: 'slurm_held' })
    await lab.inDatabase(() => setHeld(owner, job, false))
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
  })

  it('starts after the job that it depends on has completed', async () => {
    const first = await submit('print("first")')
    const limits = { submissionsPerMinute: 10, maxActiveJobs: 10 }
    const owner = { ...(await actorOf(lab, first)), limits }
    const queue = (after: string) =>
      lab.inDatabase(async () => {
        const input = queueSubmitSchema.parse({ command: 'true', depends_on: after, max_time: 60 })
        return (await submitToQueue(owner, input, null)).jobId
      })
    const second = await queue(first)
    const third = await queue(second)
    for (const job of [first, second, third])
      expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    const { rows } = await lab.database.pool.query<{ id: string }>(
      'SELECT id FROM jobs WHERE id = ANY ($1) ORDER BY started_at',
      [[first, second, third]],
    )
    expect(rows.map(({ id }) => id)).toEqual([first, second, third])
  })

  it('is stopped at its time limit', async () => {
    const job = await submit(forever, { timeLimitS: 3 })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout', attempt: 1 })
    expect(await lab.jobs.lines(job)).toEqual(['started'])
  })

  it('fails if it uses more memory than it asked for', async () => {
    const job = await submit('b = []\nwhile True: b.append(bytearray(8 << 20))')
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'out_of_memory',
      attempt: 1,
    })
  })

  it('continues in the same process when its worker was killed and restarted', async () => {
    const job = await submit(counting(200, 20))
    await lab.jobs.untilPrinted(job, /line 10\n/)
    const worker = system.workerOf((await lab.jobs.task(job))?.node ?? '')
    await worker.kill()
    worker.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectCounted(lab, job, 200)
    await lab.untilReady(2)
  })

  it('runs again on another node when its own is lost', async () => {
    const job = await submit(
      'import os, time\nprint("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)\nwhile os.environ["GPUQ_ATTEMPT"] == "1": time.sleep(0.1)',
    )
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const lost = (await lab.jobs.task(job))?.node ?? ''
    await system.loseNode(lost)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect((await lab.jobs.task(job))?.node).not.toBe(lost)
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    await system.restoreNode(lost)
  })
})
