import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Database } from '@/lib/database/client'
import { startEmbedded } from '@/lib/database/embedded'
import { locks } from '@/lib/database/locks'
import { migrate } from '@/lib/database/migrate'
import { diskStore } from '@/lib/storage/disk'
import { setStorage } from '@/lib/storage/storage'
import { builtinEngine } from '@/worker/engine/builtin'
import type { Script } from '@/worker/runtime/testing/fake-container'
import { FakeEngine } from '@/worker/runtime/testing/fake-engine'
import { leadWhileElected } from '@/worker/scheduler/leader'
import { lead } from '@/worker/scheduler/loop'
import { makeAgent, submitAs } from '@/worker/testing/agent'
import { FakeProcess } from '@/worker/testing/fake-process'
import { FakeService } from '@/worker/testing/fake-service'
import { FakeWorker } from '@/worker/testing/fake-worker'
import { submitGroup } from '@/worker/testing/groups'
import { withCleanup } from '../with-system'

export const budgetGpus = 16
export const budgetCalls = 50
/** 36 seconds of one GPU. */
const budgetHours = 0.01
const pollMs = 20
const longestS = 120

/** Every second job ends only by a signal, which ends it at once. The others end soon, so that more start. */
const script: Script = async ({ env }) => {
  if (Number(env.GPUQ_PARAM_JOB ?? env.JOB) % 2 === 0) return new Promise<never>(() => {})
  await sleep(500)
  return 0
}
const code = 'a program of the bench'

/** What was used above each budget, in seconds of each GPU that was in use when it was used up. */
interface Overspends {
  alive: number[]
  /** Their leader was killed. */
  killed: number[]
}

/**
 * Submits 50 jobs at once against a small budget of a token, and a group of 50 against its own, and measures how much more they use. The
 * database is real. GPUs and containers are simulated and end at once, so all that is measured is decided by gpuq.
 */
export async function benchBudgets(rounds: number, progress: (note: string) => void): Promise<Overspends> {
  const cluster = await FakeCluster.start()
  return withCleanup(
    () => cluster.stop(),
    async () => {
      const found: Overspends = { alive: [], killed: [] }
      for (let round = 0; round < rounds; round++) {
        progress(`round ${round + 1} of ${rounds}`)
        // From the start of the jobs until shortly after the end of the budget.
        const killAt = (1.1 * (round + 0.5)) / rounds
        for (const submit of [submitJobs, submitOneGroup]) {
          found.alive.push(await cluster.overspend(await submit(cluster), null))
          found.killed.push(await cluster.overspend(await submit(cluster), killAt))
        }
      }
      return found
    },
  )
}

/** Returns the id of the token. */
async function submitJobs(cluster: FakeCluster): Promise<string> {
  const agent = await makeAgent(cluster, { gpu_hours: budgetHours })
  const submit = (_: unknown, job: number) => submitAs(cluster, agent, code, { env: { JOB: String(job) } })
  // The last ones are refused if the budget is used up before.
  await Promise.allSettled(Array.from({ length: budgetCalls }, submit))
  return agent.tokenId
}

async function submitOneGroup(cluster: FakeCluster): Promise<string> {
  const agent = await makeAgent(cluster, {})
  await submitGroup(
    cluster,
    code,
    {
      matrix: { job: { from: 1, to: budgetCalls } },
      parallel: budgetCalls,
      budget_gpu_hours: budgetHours,
    },
    agent,
  )
  return agent.tokenId
}

/** Two workers that may lead and one node, on a database of their own. */
class FakeCluster {
  readonly #submitter: FakeProcess
  readonly #leaders = new Map<string, { service: FakeService; death: AbortController }>()
  readonly #worker: FakeWorker

  private constructor(
    readonly database: Database,
    readonly directory: string,
    private readonly stopDatabase: () => Promise<void>,
  ) {
    this.#submitter = this.#startProcess()
    this.#worker = new FakeWorker({
      node: 'a',
      engine: new FakeEngine(new Map([[code, script]])),
      directory: join(directory, 'a'),
      gpus: budgetGpus,
      maxOutputMib: 1,
      dedicatedTo: null,
      hooks: [],
      startProcess: () => this.#startProcess(),
    })
    this.#worker.start()
    for (let leader = 0; leader < 2; leader++) this.#startLeader()
  }

  static async start(): Promise<FakeCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-'))
    const postgres = await startEmbedded(directory, ['fsync=off', 'full_page_writes=off'])
    await migrate(postgres.url)
    await mkdir(join(directory, 'results'))
    setStorage(diskStore(directory))
    return new FakeCluster(connect(postgres.url, 8), directory, () => postgres.stop())
  }

  #startProcess(name = `bench-${randomUUID()}`): FakeProcess {
    return new FakeProcess(name, this.database.url, this.database.pool)
  }

  #startLeader(): void {
    const process = this.#startProcess()
    const death = new AbortController()
    const work = (signal: AbortSignal) =>
      leadWhileElected(AbortSignal.any([signal, death.signal]), (term) => lead(builtinEngine, term))
    this.#leaders.set(process.name, { service: new FakeService(process, work), death })
  }

  /** Calls functions of lib as the web server does. */
  inDatabase<T>(work: () => Promise<T>): Promise<T> {
    return this.#submitter.run(work)
  }

  /**
   * Waits until the jobs of a token have used up their budget and none runs.
   * @param killAt the share of the budget that is used when the leader is killed; null: it is not
   */
  async overspend(tokenId: string, killAt: number | null): Promise<number> {
    const budgetS = budgetHours * 3600
    let toKill = killAt
    for (const until = performance.now() + longestS * 1000; performance.now() < until; await sleep(pollMs)) {
      const spans = await this.#readSpans(tokenId)
      const used = usedS(spans)
      if (toKill !== null && used >= toKill * budgetS) {
        await this.#killLeader()
        toKill = null
      }
      if (used >= budgetS && toKill === null && spans.every(({ isHeld }) => !isHeld))
        return (used - budgetS) / gpusWhenUsed(spans, budgetS)
    }
    throw new Error('The budget was not used up, or its jobs were not stopped.')
  }

  async #killLeader(): Promise<void> {
    const { rows } = await this.database.pool.query<{ name: string }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND ((l.classid::bigint << 32) | l.objid::bigint) = $1`,
      [locks.leader],
    )
    const name = rows[0]?.name ?? ''
    const leader = this.#leaders.get(name)
    if (leader === undefined) throw new Error('No worker leads.')
    this.#leaders.delete(name)
    await leader.service.kill()
    // An election has a connection of its own, with which the code of a dead process would go on.
    leader.death.abort()
    this.#startLeader()
  }

  async #readSpans(tokenId: string): Promise<Span[]> {
    const { rows } = await this.database.pool.query<Span>(
      `SELECT extract(epoch FROM a.created_at)::float8 AS began, extract(epoch FROM coalesce(a.released_at, clock_timestamp()))::float8 AS ended,
              a.released_at IS NULL AS "isHeld"
         FROM allocations a JOIN tasks t ON t.id = a.task_id JOIN jobs j ON j.id = t.job_id WHERE j.token_id = $1`,
      [tokenId],
    )
    return rows
  }

  async stop(): Promise<void> {
    await this.#worker.kill()
    for (const { service } of this.#leaders.values()) await service.end()
    await this.#submitter.exit()
    await this.database.close()
    await this.stopDatabase()
    await rm(this.directory, { recursive: true, force: true })
  }
}

/** When a job held a GPU, in seconds. */
interface Span {
  began: number
  ended: number
  isHeld: boolean
}

function usedS(spans: readonly Span[], at = Number.POSITIVE_INFINITY): number {
  return spans.reduce((sum, { began, ended }) => sum + Math.max(0, Math.min(ended, at) - began), 0)
}

/** The GPUs that were held when so many seconds of GPUs were used. */
function gpusWhenUsed(spans: readonly Span[], seconds: number): number {
  const times = spans.flatMap(({ began, ended }) => [began, ended]).sort((a, b) => a - b)
  const after = times.find((time) => usedS(spans, time) >= seconds) ?? Number.POSITIVE_INFINITY
  return spans.filter(({ began, ended }) => began < after && ended >= after).length
}
