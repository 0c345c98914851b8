import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { listBelow } from '../testing/list-below'
import { neighbour, reachFrom } from '../testing/neighbour'
import { expectAllTrue } from '../testing/truth'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'

const { it, cluster } = slurmTests()

const small = { cpu: 1, memory_gb: 0.25 }
/** Runs until somebody stops it. */
const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'
/** Only the first attempt runs until somebody stops it. */
const secondEnds = `import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
while os.environ["GPUQ_ATTEMPT"] == "1": time.sleep(0.1)`

/** The GPUs of each task of a job's last attempt, as gpuq allocated them. */
async function gpusOf(lab: SlurmLab, job: string): Promise<Record<string, number[]>> {
  const { rows } = await lab.lab.database.pool.query<{ node: string; indexes: number[] }>(
    `SELECT n.name AS node, array_agg(g.index ORDER BY g.index) AS indexes
       FROM tasks t JOIN jobs j ON j.id = t.job_id AND j.attempt = t.attempt JOIN nodes n ON n.id = t.node_id
       JOIN allocations a ON a.task_id = t.id JOIN gpus g ON g.id = a.gpu_id WHERE t.job_id = $1 GROUP BY 1`,
    [job],
  )
  return Object.fromEntries(rows.map(({ node, indexes }) => [node, indexes]))
}

/** The GPUs of a job as Slurm says. */
async function slurmGpusOf(slurmId: number): Promise<Record<string, number[]>> {
  const output = await cluster().run('scontrol', ['--details', 'show', 'job', String(slurmId)])
  const found = output.matchAll(/Nodes=(\S+) CPU_IDs=\S+ Mem=\d+ GRES=gpu\S*\(IDX:([\d,-]+)\)/g)
  const expand = (text: string) =>
    text.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  return Object.fromEntries([...found].map(([, node = '', indexes = '']) => [node, expand(indexes)]))
}

describe('a job in Slurm', { concurrent: false }, () => {
  it('runs on exactly the GPUs that Slurm gave it, and ends with the same exit code', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0', 'n1', 'n2', 'n3')
    const other = await lab.jobs.submit(forever, { spec: { ...small, gpu_count: 3 } })
    await lab.jobs.untilPrinted(other, /started/)
    const job = await lab.jobs.submit(
      `${forever.split('\n')[1]}; import time; time.sleep(3); raise SystemExit(3)`,
      {
        spec: { ...small, gpu_count: 2 },
      },
    )
    const slurmId = await lab.untilSubmitted(job)
    await lab.jobs.untilPrinted(job, /started/)
    const given = await slurmGpusOf(slurmId)
    expect(Object.values(given).flat()).toHaveLength(2)
    expect(await gpusOf(lab, job)).toEqual(given)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'exit_code',
      exitCode: 3,
      attempt: 1,
    })
    await lab.untilRow(job, 'the Slurm job has ended', ({ ended }) => ended)
    expect(await lab.field(slurmId, 'ExitCode')).toBe('3:0')
    await cancel(lab.lab, other)
    expect(await lab.jobs.untilFinal(other)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_user',
    })
    await lab.untilRow(other, 'the other Slurm job has ended', ({ ended }) => ended)
    expect(await lab.active()).toEqual([])
    await expectAllTrue(lab.lab)
  })

  it('shows no file, no variable and no secret of its batch script to another account of the node', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const { options } = await lab.startWorker('n0')
    const token = `hf_${randomBytes(16).toString('hex')}`
    const job = await lab.jobs.submit(forever, { spec: { ...small, env: { HF_TOKEN: token } } })
    await lab.jobs.untilPrinted(job, /started/)
    const spool = join(cluster().directory, 'spool')
    const scripts = (await listBelow(spool)).filter((path) => path.endsWith('/slurm_script'))
    const [, secret = ''] = /gpuq 1 (\S+) /.exec(await readFile(join(spool, scripts[0] ?? ''), 'utf8')) ?? []
    expect(secret.length).toBeGreaterThan(20)
    const task = await lab.jobs.task(job)
    const { directory } = lab.lab
    // All that others need to know is where the worker listens.
    const open = [options.dataDir, join(directory, 'slurm'), join(directory, 'slurm', 'n0.port')]
    for (const hidden of [token, secret]) {
      const reached = await reachFrom(neighbour, directory, hidden)
      expect(reached.mounts).toContainEqual(expect.stringContaining(task?.id ?? 'no task'))
      expect(reached.paths.toSorted()).toEqual(open.toSorted())
      expect(reached.processes).toEqual([])
    }
    const ofSlurm = await reachFrom(neighbour, spool, secret)
    expect(ofSlurm.paths.filter((path) => path.endsWith('/slurm_script'))).toEqual([])
    await cancel(lab.lab, job)
    await lab.untilRow(job, 'the Slurm job has ended', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})

describe('a change by hand in Slurm', { concurrent: false }, () => {
  it('scancel ends a running job and a waiting one as cancelled', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0')
    const running = await lab.jobs.submit(forever, { spec: { ...small, cpu: 16 } })
    await lab.jobs.untilPrinted(running, /started/)
    const waiting = await lab.jobs.submit(forever, { spec: { ...small, instance_count: 4, cpu: 16 } })
    const ids = [await lab.untilSubmitted(running), await lab.untilSubmitted(waiting)]
    await cluster().run('scancel', ids.map(String))
    for (const job of [running, waiting]) {
      expect(await lab.jobs.untilFinal(job)).toMatchObject({
        status: 'cancelled',
        reason: 'cancelled_in_slurm',
      })
      await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
      expect(await lab.rows(job)).toHaveLength(1)
    }
    await expectAllTrue(lab.lab)
  })

  it('shows that Slurm started a job on a node without a worker', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startWorkers('n0')
    const blocker = await lab.jobs.submit(forever, { spec: { ...small, cpu: 16 } })
    await lab.jobs.untilPrinted(blocker, /started/)
    const job = await lab.jobs.submit('print(1)', { spec: { ...small, cpu: 16 } })
    const shown = await lab.jobs.until('the reason names the node', async () => {
      const row = await lab.jobs.row(job)
      return row.reason === 'slurm_starting' && row
    })
    expect(shown).toMatchObject({
      status: 'pending',
      reasonDetail: expect.stringContaining('started it on n1.'),
    })
    for (const one of [job, blocker]) {
      await cancel(lab.lab, one)
      await lab.untilRow(one, 'its Slurm job has ended', ({ ended }) => ended)
    }
    await expectAllTrue(lab.lab)
  })

  it('hold and release are shown and kept', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startOnly('n0')
    const blocker = await lab.jobs.submit(forever, { spec: { ...small, cpu: 16 } })
    await lab.jobs.untilPrinted(blocker, /started/)
    const job = await lab.jobs.submit('print(1)', { spec: { ...small, cpu: 16 } })
    const slurmId = await lab.untilSubmitted(job)
    await cluster().run('scontrol', ['hold', String(slurmId)])
    await lab.jobs.until('it is held in gpuq', async () => (await lab.jobs.row(job)).reason === 'slurm_held')
    const { rows: jobs } = await lab.lab.database.pool.query('SELECT held FROM jobs WHERE id = $1', [job])
    expect(jobs).toEqual([{ held: true }])
    await cancel(lab.lab, blocker)
    await lab.untilRow(blocker, 'the blocker is gone', ({ ended }) => ended)
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'pending', reason: 'slurm_held' })
    await cluster().run('scontrol', ['release', String(slurmId)])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })

  it('a job that depends on a job outside gpuq starts after it, and is cancelled if it can never start', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    await lab.startOnly('n0')
    const end = join(lab.lab.directory, 'end')
    const wrap = `--wrap=while [ ! -e ${end} ]; do sleep 0.2; done`
    const outside = async () =>
      Number(await cluster().run('sbatch', ['--parsable', '--output=/dev/null', '--mem=64M', wrap]))
    const [first, failing] = [await outside(), await outside()]
    const submit = (slurmId: number) =>
      lab.jobs.submit('print("after")', { spec: { ...small, depends_on: [`slurm:${slurmId}`] } })
    const [after, never] = [await submit(first), await submit(failing)]
    for (const job of [after, never]) {
      await lab.jobs.until('it waits for the other', async () =>
        (await lab.jobs.row(job)).reasonDetail?.includes('(Slurm: Dependency)'),
      )
    }
    await cluster().run('scancel', [String(failing)])
    expect(await lab.jobs.untilFinal(never)).toMatchObject({
      status: 'cancelled',
      reason: 'dependency_failed',
    })
    expect(await lab.jobs.row(after)).toMatchObject({ status: 'pending', reason: 'slurm_pending' })
    await writeFile(end, '')
    expect(await lab.jobs.untilFinal(after)).toMatchObject({ status: 'completed', attempt: 1 })
    await expectAllTrue(lab.lab)
  })

  it('requeue makes the next attempt in the same Slurm job', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startOnly('n0')
    const job = await lab.jobs.submit(secondEnds, { spec: small, maxRetries: 0 })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    const slurmId = await lab.untilSubmitted(job)
    await cluster().run('scontrol', ['requeue', String(slurmId)])
    await lab.startRequeued(job, slurmId)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    const row = await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    expect(row).toMatchObject({ slurmId, restarts: 1, attempt: 2 })
    expect(await lab.rows(job)).toHaveLength(1)
    await expectAllTrue(lab.lab)
  })

  it('a shorter time limit ends the job with it', async ({ openSlurmLab }) => {
    const lab = await openSlurmLab()
    await lab.startOnly('n0')
    const job = await lab.jobs.submit(forever, { spec: small, maxRetries: 0 })
    await lab.jobs.untilPrinted(job, /started/)
    const slurmId = await lab.untilSubmitted(job)
    await cluster().run('scontrol', ['update', `JobId=${slurmId}`, 'TimeLimit=1'])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'failed', reason: 'timeout' })
    await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    await expectAllTrue(lab.lab)
  })
})
