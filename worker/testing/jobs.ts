import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type JobOptions, makeJob } from '@/lib/cluster/testing/rows'
import type { ResultFileRecord } from '@/lib/contract/output/records'
import { isFinal, type JobStatus } from '@/lib/contract/status'
import { collectOutput, readRecords } from '@/lib/results/decode'
import { until } from './until'

export interface JobRow {
  id: string
  status: JobStatus
  reason: string | null
  reasonDetail: string | null
  attempt: number
  exitCode: number | null
  resultStored: boolean
}

export interface TaskRow {
  id: string
  attempt: number
  status: string
  node: string
  outputBytes: number
}

/** Submits jobs to a lab's database and looks at what becomes of them. */
export class Jobs {
  /** What else an error shows when a check fails, besides the output of the workers. */
  describeSystem: () => Promise<string> = async () => ''

  constructor(
    private readonly pool: pg.Pool,
    private readonly resultsDirectory: string,
    private readonly workers: { lastOutput(): string; log(): string },
  ) {}

  /** Submits a job that runs `code`, and returns its id. Each has a user of its own. */
  async submit(code: string, options: JobOptions = {}): Promise<string> {
    const id = await makeJob({ timeLimitS: 900, code, ...options }, this.pool)
    await this.pool.query(`SELECT pg_notify('gpuq_queue', $1)`, [id])
    return id
  }

  /** Lets a job go that was submitted as held. */
  async letGo(id: string): Promise<void> {
    await this.pool.query(
      `WITH j AS (UPDATE jobs SET not_before = NULL WHERE id = $1::uuid) SELECT pg_notify('gpuq_queue', $1::text)`,
      [id],
    )
  }

  /** Lets all go that were submitted as held. In one statement: no pass of the leader sees only some of them. */
  async letAllGo(): Promise<void> {
    await this.pool.query('UPDATE jobs SET not_before = NULL')
    await this.pool.query('NOTIFY gpuq_queue')
  }

  async row(id: string): Promise<JobRow> {
    const { rows } = await this.pool.query<JobRow>(
      `SELECT id, status, reason, reason_detail AS "reasonDetail", attempt, exit_code AS "exitCode", result_stored AS "resultStored"
         FROM jobs WHERE id = $1`,
      [id],
    )
    const [row] = rows
    if (!row) throw new Error(`no job ${id}`)
    return row
  }

  /** What a failed test is told of a job: what became of it, and what the workers logged of its tasks. */
  async describe(id: string): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM tasks WHERE job_id = $1', [id])
    const logged = this.workers
      .log()
      .split('\n')
      .filter((line) => rows.some((task) => line.includes(task.id)))
    return [JSON.stringify(await this.row(id)), ...logged].join('\n')
  }

  /** The job's latest task. */
  async task(id: string): Promise<TaskRow | null> {
    const { rows } = await this.pool.query<TaskRow>(
      `SELECT t.id, t.attempt, t.status, n.name AS node, t.output_bytes AS "outputBytes"
         FROM tasks t JOIN nodes n ON n.id = t.node_id WHERE t.job_id = $1 ORDER BY t.attempt DESC LIMIT 1`,
      [id],
    )
    return rows[0] ?? null
  }

  /** Waits until the job is in one of the given statuses. */
  untilStatus(id: string, ...statuses: JobStatus[]): Promise<JobRow> {
    return this.until(`${id} is ${statuses.join(' or ')}`, async () => {
      const row = await this.row(id)
      return statuses.includes(row.status) && row
    })
  }

  /** Waits until the job has its verdict. */
  untilFinal(id: string, withinMs?: number): Promise<JobRow> {
    const look = async () => {
      const row = await this.row(id)
      return isFinal(row.status) && row
    }
    return this.until(`${id} has ended`, look, withinMs)
  }

  until<T>(what: string, look: () => Promise<T | null | undefined | false>, withinMs?: number): Promise<T> {
    return until(what, look, {
      details: async () => `${this.workers.lastOutput()}\n${await this.describeSystem()}`,
      ...(withinMs === undefined ? {} : { withinMs }),
    })
  }

  /** Waits until something of the job's output is stored that `pattern` is found in. */
  async untilPrinted(id: string, pattern: RegExp): Promise<string> {
    return this.until(`${id} printed ${pattern}`, async () => {
      const { stdout } = await collectOutput([await this.chunks(id)], { maxBytes: 1 << 28 })
      if (pattern.test(stdout)) return stdout
      // One that has ended has its output in its file, and no more will come.
      if (!(await this.row(id)).resultStored) return false
      const whole = await this.stdout(id)
      if (!pattern.test(whole)) throw new Error(`${id} ended without printing ${pattern}, but: ${whole}`)
      return whole
    })
  }

  /** The records of the finished job's file. */
  async records(id: string): Promise<ResultFileRecord[]> {
    const records = []
    for await (const record of readRecords([await this.file(id)])) records.push(record)
    return records
  }

  /** What the finished job wrote to its standard output, from its file. */
  async stdout(id: string): Promise<string> {
    return (await collectOutput([await this.file(id)], { maxBytes: 1 << 29 })).stdout
  }

  /** What the finished job wrote to its standard error, from its file. */
  async stderr(id: string): Promise<string> {
    return (await collectOutput([await this.file(id)], { maxBytes: 1 << 29 })).stderr
  }

  /** The lines of its standard output. */
  async lines(id: string): Promise<string[]> {
    return (await this.stdout(id)).split('\n').slice(0, -1)
  }

  /** The finished job's file, once it is written. */
  async file(id: string): Promise<Buffer> {
    await this.until(`the result of ${id} is stored`, async () => (await this.row(id)).resultStored)
    const { rows } = await this.pool.query<{ name: string }>(
      'SELECT name FROM result_files WHERE job_id = $1 AND stored_at IS NOT NULL',
      [id],
    )
    return readFile(join(this.resultsDirectory, rows[0]?.name ?? 'no name'))
  }

  private async chunks(id: string): Promise<Buffer> {
    const { rows } = await this.pool.query<{ records: Buffer }>(
      `SELECT c.records FROM log_chunks c JOIN tasks t ON t.id = c.task_id
        WHERE t.job_id = $1 AND t.attempt = (SELECT attempt FROM jobs WHERE id = $1) ORDER BY c.start`,
      [id],
    )
    return Buffer.concat(rows.map(({ records }) => records))
  }
}
