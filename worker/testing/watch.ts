import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckedLab } from './truth'

const lookEveryMs = 100

interface Holding {
  taskId: string
  jobId: string
  rank: number
  gpu: string
}

/** Observed violations; empty lists if there were none. */
export interface Seen {
  /** Jobs and ranks of which two containers ran at one moment. */
  jobsTwice: string[]
  /** GPUs that two running containers held at one moment, whatever the database says. */
  gpusTwice: string[]
  /** GPUs whose allocated share differed from the sum of their allocations. */
  falseBooks: string[]
  /** Number of observations. */
  looks: number
}

/** Observes the allocations and containers of a lab repeatedly during a scenario. */
export class Watch {
  private readonly running: string[][] = []
  private readonly falseBooks = new Set<string>()
  private stopped = false
  private readonly watching: Promise<void>

  constructor(private readonly lab: Pick<CheckedLab<unknown>, 'containers' | 'database'>) {
    this.watching = this.watch()
    // `stop` reports the error.
    this.watching.catch(() => {})
  }

  async stop(): Promise<Seen> {
    this.stopped = true
    await this.watching
    const { rows } = await this.lab.database.pool.query<Holding>(
      `SELECT t.id AS "taskId", t.job_id AS "jobId", t.rank, a.gpu_id AS gpu FROM tasks t JOIN allocations a ON a.task_id = t.id`,
    )
    const twice = (of: (holding: Holding) => string) => [
      ...new Set(
        this.running.flatMap((taskIds) => {
          const all = rows.filter(({ taskId }) => taskIds.includes(taskId)).map(of)
          return all.filter((each, i) => all.indexOf(each) !== i)
        }),
      ),
    ]
    return {
      jobsTwice: twice(({ jobId, rank }) => `${jobId} rank ${rank}`),
      gpusTwice: twice(({ gpu }) => gpu),
      falseBooks: [...this.falseBooks],
      looks: this.running.length,
    }
  }

  private async watch(): Promise<void> {
    while (!this.stopped) {
      // During an outage there are no observations of the engine or the database.
      const [containers, books] = await Promise.all([
        this.lab.containers().catch(() => []),
        this.lab.database.pool
          .query<{ gpu: string }>(
            `SELECT g.uuid AS gpu FROM gpus g LEFT JOIN allocations a ON a.gpu_id = g.id AND a.released_at IS NULL
            GROUP BY g.id HAVING g.allocated_milli <> coalesce(sum(a.milli), 0) OR g.allocated_milli > 1000`,
          )
          .catch(() => ({ rows: [] })),
      ])
      this.running.push(containers.filter(({ state }) => state === 'running').map(({ taskId }) => taskId))
      for (const { gpu } of books.rows) this.falseBooks.add(gpu)
      await sleep(lookEveryMs)
    }
  }
}
