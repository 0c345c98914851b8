import { expect, it } from 'vitest'
import type { EndReason } from '../../contract/reasons'
import { testDatabase } from '../../database/testing/test-database'
import { plan } from '../../scheduling/plan'
import { randomNumbers } from '../../scheduling/testing/simulate'
import { markExpiredNodesLost } from '../nodes/lost-nodes'
import { type Lease, renewLease } from '../nodes/nodes'
import { finishTask } from '../tasks/finish-task'
import { markReady, readReadiness } from '../tasks/task-progress'
import { type ClaimedTask, claimTasks, Fenced, markRunning } from '../tasks/tasks'
import { makeJob, makeNode } from '../testing/rows'
import { tasksToStop } from '../testing/tasks-to-stop'
import { commitPlacement, preemptJobs } from './place'
import { takeSnapshot } from './snapshot'

const db = testDatabase()
const random = randomNumbers(20_261_121)
const names = ['n0', 'n1', 'n2', 'n3'] as const
const stormMs = 6_000
/** Runs at least this many checks, however long they take. */
const leastLooks = 20
const jobs = 16

/** A worker without a container engine; it tracks its containers itself. */
class Worker {
  #lease: Lease | undefined
  #tasks: ClaimedTask[] = []

  constructor(readonly name: string) {}

  async step(): Promise<void> {
    // On a slow machine a lease may expire unintentionally; only the intended losses count.
    if (this.#lease && (await renewLease(this.#lease)) !== 'renewed') {
      await markExpiredNodesLost()
      this.#forget()
    }
    this.#lease ??= await makeNode({ name: this.name, gpus: 2 })
    this.#tasks.push(...(await claimTasks(this.#lease)))
    const stops = new Map((await tasksToStop(this.#lease)).map(({ id, reason }) => [id, reason]))
    for (const task of [...this.#tasks]) await this.#move(this.#lease, task, stops.get(task.id))
  }

  /** Makes the lease expire. Its tasks belong to nobody until the worker registers again. */
  async fall(): Promise<void> {
    if (!this.#lease) return
    const { nodeId } = this.#lease
    await db.pool.query(`UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
      nodeId,
    ])
    await markExpiredNodesLost()
    this.#forget()
  }

  #forget(): void {
    this.#lease = undefined
    this.#tasks = []
  }

  async #move(lease: Lease, task: ClaimedTask, stop: EndReason | undefined): Promise<void> {
    try {
      if (stop) await this.#end(lease, task, stop)
      else if (task.instances > 1 && !(await this.#ready(lease, task))) return
      else if (random() < 0.5) await markRunning(lease, task, null)
      else await this.#end(lease, task, random() < 0.85 ? 'finished' : 'worker_stopped')
    } catch (error) {
      if (!(error instanceof Fenced)) throw error
      this.#tasks = this.#tasks.filter((each) => each !== task)
    }
  }

  async #ready(lease: Lease, task: ClaimedTask): Promise<boolean> {
    await markReady(lease, task)
    return (await readReadiness(task)).missing.length === 0
  }

  async #end(lease: Lease, task: ClaimedTask, reason: EndReason): Promise<void> {
    await finishTask(lease, task, { reason, detail: null, exitCode: reason === 'finished' ? 0 : null })
    this.#tasks = this.#tasks.filter((each) => each !== task)
  }
}

/**
 * Simulates two leaders that do not know of each other, for example after one was suspended. They preempt only
 * during the storm.
 */
async function lead(isStorm: boolean): Promise<void> {
  await markExpiredNodesLost()
  const { snapshot } = await takeSnapshot()
  await Promise.all(plan(snapshot).placements.map(commitPlacement))
  const [victim] = snapshot.running
  if (victim && isStorm && random() < 0.2) await preemptJobs([{ jobId: victim.id, forJobId: victim.id }])
}

interface Wrong {
  halfPlaced: number
  withoutNetwork: number
  twoAttempts: number
  falseBooks: number
}

/** Checks the invariants in one statement, and therefore in one snapshot. */
async function lookForWrong(): Promise<Wrong | undefined> {
  const { rows } = await db.pool.query<Wrong>(
    `SELECT (SELECT count(*) FROM jobs j WHERE j.status IN ('scheduled', 'running')
               AND (SELECT count(*) FROM tasks t WHERE t.job_id = j.id AND t.attempt = j.attempt)
                   <> coalesce((j.spec->>'instance_count')::int, 1))::int AS "halfPlaced",
            (SELECT count(*) FROM jobs j WHERE (j.network_index IS NOT NULL)
                   <> (j.status IN ('scheduled', 'running') AND j.spec ? 'instance_count'))::int AS "withoutNetwork",
            (SELECT count(*) FROM (SELECT t.job_id FROM tasks t JOIN jobs j ON j.id = t.job_id
                 WHERE t.status IN ('scheduled', 'starting', 'running')
                 GROUP BY t.job_id, j.attempt, j.status
                HAVING bool_or(t.attempt <> j.attempt) OR j.status NOT IN ('scheduled', 'running')) AS late)::int AS "twoAttempts",
            (SELECT count(*) FROM gpus g WHERE g.allocated_milli <> (
                SELECT coalesce(sum(a.milli), 0) FROM allocations a JOIN tasks t ON t.id = a.task_id
                 WHERE a.gpu_id = g.id AND a.released_at IS NULL AND t.status IN ('scheduled', 'starting', 'running')))::int AS "falseBooks"`,
  )
  return rows[0]
}

const right: Wrong = { halfPlaced: 0, withoutNetwork: 0, twoAttempts: 0, falseBooks: 0 }

async function unfinished(): Promise<number> {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM jobs WHERE status NOT IN ('completed', 'failed', 'cancelled')`,
  )
  return rowCount ?? 0
}

it('no job is ever partly placed during concurrent leaders, workers, losses and preemptions, and every job ends', async () => {
  for (let i = 0; i < jobs; i++) {
    const spec =
      i % 4 === 0
        ? { gpu_fraction: 0.5 }
        : { instance_count: 2 + (i % 3), ...(i % 2 ? { gpu_fraction: 0.5 } : {}) }
    await makeJob({ spec: { ...spec, cpu: 0.2, memory_gb: 0.2 }, maxRetries: 10 })
  }
  const workers = names.map((name) => new Worker(name))
  const began = performance.now()
  let looks = 0
  const isStorm = () => performance.now() - began < stormMs || looks <= leastLooks
  const goOn = async () => isStorm() || (await unfinished()) > 0
  const keep = async (work: () => Promise<void>) => {
    while (await goOn()) await work()
  }
  await Promise.all([
    keep(() => lead(isStorm())),
    keep(() => lead(isStorm())),
    ...workers.map((worker) =>
      keep(async () => {
        if (isStorm() && random() < 0.05) await worker.fall()
        else await worker.step()
      }),
    ),
    keep(async () => {
      await db.pool.query('UPDATE jobs SET not_before = NULL WHERE not_before IS NOT NULL')
      looks += 1
      expect(await lookForWrong()).toEqual(right)
    }),
  ])
  expect(looks).toBeGreaterThan(leastLooks)
  expect(await lookForWrong()).toEqual(right)
}, 120_000)
