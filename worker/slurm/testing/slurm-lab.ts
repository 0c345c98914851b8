import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { Lab } from '../../testing/lab'
import { it as base } from '../../testing/lab-test'
import type { WorkerOptions, WorkerProcess } from '../../testing/worker-process'
import { SlurmCluster, type SlurmClusterOptions } from './slurm-cluster'

/** A row of `slurm_jobs`. */
export interface SlurmRow {
  id: string
  slurmId: number | null
  state: string | null
  reason: string | null
  held: boolean
  restarts: number
  attempt: number | null
  stopReason: string | null
  ended: boolean
}

/** A gpuq whose engine is a real Slurm cluster. Each Slurm node has a worker with its name; only the GPUs are simulated. */
export class SlurmLab {
  private constructor(
    readonly lab: Lab,
    readonly slurm: SlurmCluster,
    private readonly directory: string,
  ) {}

  static async open(slurm: SlurmCluster): Promise<SlurmLab> {
    const lab = await Lab.open()
    const directory = join(lab.directory, 'slurm')
    await mkdir(directory)
    // The batch scripts of other accounts read the workers' ports there.
    await chmod(lab.directory, 0o711)
    lab.afterwards(async () => {
      await slurm.run('scancel', ['--user=root', '--signal=KILL', '--full']).catch(() => '')
      await slurm.run('scancel', ['--user=root']).catch(() => '')
    })
    const opened = new SlurmLab(lab, slurm, directory)
    lab.jobs.describeSystem = () => opened.describe()
    return opened
  }

  /** What Slurm and gpuq know about each other, for the error of a check that fails. */
  private async describe(): Promise<string> {
    const { pool } = this.lab.database
    const parts = [
      this.slurm.run('squeue', ['--all', '--states=all', '--format=%A %T %Q %r %k %S %l']),
      this.slurm.run('scontrol', ['show', 'node']),
      pool.query('SELECT * FROM slurm_jobs ORDER BY created_at').then(({ rows }) => JSON.stringify(rows)),
      pool.query('SELECT problem, read_at FROM slurm_cluster').then(({ rows }) => JSON.stringify(rows)),
      pool
        .query(
          `SELECT pid, state, wait_event, query_start, query FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'`,
        )
        .then(({ rows }) => JSON.stringify(rows)),
    ]
    return (await Promise.all(parts.map((part) => part.catch(String)))).join('\n')
  }

  get jobs() {
    return this.lab.jobs
  }

  /** Starts the worker of a Slurm node. */
  startWorker(node: string, options: Partial<WorkerOptions> = {}): Promise<WorkerProcess> {
    return this.lab.startWorker({
      node,
      gpus: 8,
      ...options,
      variables: {
        GPUQ_ENGINE: 'slurm',
        GPUQ_SLURM_POLL_S: '1',
        GPUQ_SLURM_DIRECTORY: this.directory,
        ...this.slurm.env,
        ...options.variables,
      },
    })
  }

  /**
   * Starts the worker of one node and drains the others, as an admin does with nodes without a worker. Otherwise Slurm starts a job
   * there within half a second of its submission, or after a requeue.
   */
  async startOnly(node: string): Promise<WorkerProcess> {
    const others = this.slurm.nodes.filter((name) => name !== node).join(',')
    await this.slurm.run('scontrol', ['update', `NodeName=${others}`, 'State=DRAIN', 'Reason=no worker'])
    return this.startWorker(node)
  }

  /** Starts the workers of the given nodes, the first of which leads. */
  async startWorkers(...nodes: string[]): Promise<WorkerProcess[]> {
    const [first, ...others] = nodes
    if (first === undefined) return []
    const leader = await this.startWorker(first)
    await this.jobs.until('the first worker leads', async () => leader.log.includes('leading the scheduler'))
    const rest = await Promise.all(others.map((node) => this.startWorker(node)))
    await this.lab.untilReady(nodes.length)
    return [leader, ...rest]
  }

  /**
   * Puts a program in the place of sbatch for a worker that is started with the returned variables. `script` is shell, where
   * `real "$@"` is the real sbatch, `mark NAME` notes a moment, and `await NAME` waits for one. The program survives the
   * death of its worker.
   */
  async replaceSbatch(script: string) {
    const directory = join(this.directory, 'bin')
    await mkdir(directory)
    const functions = [
      '#!/bin/sh',
      'real() { /usr/bin/sbatch "$@"; }',
      `mark() { touch ${directory}/moment-$1; }`,
      `await() { i=0; while [ ! -e ${directory}/moment-$1 ] && [ $i -lt 3000 ]; do sleep 0.1; i=$((i + 1)); done; }`,
    ]
    const file = join(directory, 'sbatch')
    await writeFile(file, `${functions.join('\n')}\n${script}\n`)
    await chmod(file, 0o755)
    const moment = (name: string) => join(directory, `moment-${name}`)
    return {
      variables: { PATH: `${directory}:${process.env.PATH}` },
      mark: (name: string) => writeFile(moment(name), ''),
      until: (name: string) =>
        this.jobs.until(`sbatch is at ${name}`, () =>
          readFile(moment(name)).then(
            () => true,
            () => false,
          ),
        ),
    }
  }

  /** Sends a line to the worker of a node as a step does, and returns the answer until the worker closes the connection. */
  async tellStep(node: string, line: string): Promise<string> {
    const port = Number(await readFile(join(this.directory, `${node}.port`), 'utf8'))
    const socket = connect(port, '127.0.0.1')
    socket.write(`${line}\n`)
    let answer = ''
    for await (const piece of socket.setEncoding('utf8')) answer += piece
    return answer
  }

  /**
   * Starts a requeued job now, if it has not started again by itself. Slurm waits two minutes by default, and
   * refuses the change while the earlier run is completing.
   */
  async startRequeued(jobId: string, slurmId: number): Promise<void> {
    await this.untilRow(jobId, 'it was requeued', ({ restarts }) => restarts > 0)
    const scontrol = (...args: string[]) => this.slurm.run('scontrol', args).catch(String)
    let shown = ''
    try {
      await this.jobs.until('it has started again', async () => {
        if ((await this.rows(jobId)).at(-1)?.state !== 'PENDING') return true
        // Slurm holds a job that a busy node could not launch in time.
        await scontrol('release', String(slurmId))
        await scontrol('update', `JobId=${slurmId}`, 'StartTime=now')
        shown = await scontrol('show', 'job', String(slurmId))
        return false
      })
    } catch (error) {
      throw new Error(`${String(error)}\n${shown}\n${await scontrol('show', 'node')}`)
    }
  }

  /** The ids of all Slurm jobs that were submitted for a job and that Slurm still knows. */
  async submissions(jobId: string): Promise<number[]> {
    const output = await this.slurm.run('squeue', [
      '--noheader',
      '--states=all',
      `--name=gpuq-${jobId}`,
      '--format=%A',
    ])
    return output.split('\n').filter(Boolean).map(Number)
  }

  /** The rows of a job, the oldest first. */
  async rows(jobId: string): Promise<SlurmRow[]> {
    const { rows } = await this.lab.database.pool.query<SlurmRow>(
      `SELECT id, slurm_id AS "slurmId", state, reason, held, restarts, attempt, stop_reason AS "stopReason", ended_at IS NOT NULL AS ended
         FROM slurm_jobs WHERE job_id = $1 ORDER BY created_at, id`,
      [jobId],
    )
    return rows
  }

  /** Waits until a job is in Slurm, and returns its id there. */
  untilSubmitted(jobId: string): Promise<number> {
    return this.jobs.until('the job is in Slurm', async () => (await this.rows(jobId)).at(-1)?.slurmId)
  }

  /** Waits until the job's last row fulfils a condition. */
  untilRow(jobId: string, what: string, condition: (row: SlurmRow) => boolean): Promise<SlurmRow> {
    return this.jobs.until(what, async () => {
      const row = (await this.rows(jobId)).at(-1)
      return row && condition(row) && row
    })
  }

  /** One field of a job as `scontrol show job` prints it. */
  async field(slurmId: number, name: string): Promise<string | undefined> {
    const output = await this.slurm.run('scontrol', ['--details', 'show', 'job', String(slurmId)])
    return new RegExp(`\\b${name}=(\\S*)`).exec(output)?.[1]
  }

  /** The ids of all jobs in Slurm that have not ended. */
  async active(): Promise<number[]> {
    const output = await this.slurm.run('squeue', ['--noheader', '--format=%A'])
    return output.split('\n').filter(Boolean).map(Number)
  }
}

/**
 * `it` for the tests of a file that share a Slurm cluster, each with a gpuq of its own, and the running cluster.
 * @param options a function is called before the cluster starts.
 */
export function slurmTests(options: SlurmClusterOptions | (() => Promise<SlurmClusterOptions>) = {}) {
  let slurm: SlurmCluster | undefined
  beforeAll(async () => {
    slurm = await SlurmCluster.start(typeof options === 'function' ? await options() : options)
  })
  afterAll(() => slurm?.stop())
  const cluster = () => {
    if (!slurm) throw new Error('The Slurm cluster was not started.')
    return slurm
  }
  const it = base.extend<{ openSlurmLab: () => Promise<SlurmLab> }>({
    openSlurmLab: ({ afterwards }, use) =>
      use(async () => {
        await cluster().repair()
        const lab = await SlurmLab.open(cluster())
        afterwards(() => lab.lab.close())
        return lab
      }),
  })
  return { it, cluster }
}
