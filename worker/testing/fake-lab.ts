import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { JobOptions } from '@/lib/cluster/testing/rows'
import { connect, type Database } from '@/lib/database/client'
import { diskStore } from '@/lib/storage/disk'
import { setStorage } from '@/lib/storage/storage'
import { builtinEngine } from '../engine/builtin'
import type { Script } from '../runtime/testing/fake-container'
import { FakeEngine } from '../runtime/testing/fake-engine'
import { lead } from '../scheduler/loop'
import { cloneDatabase, recordStatusHistory } from './clone-database'
import { FakeProcess } from './fake-process'
import { FakeService } from './fake-service'
import { FakeWorker, type FakeWorkerOptions } from './fake-worker'
import { Jobs } from './jobs'
import { listBelow } from './list-below'
import type { CheckedLab } from './truth'

/**
 * A gpuq of its own for one scenario, like `Lab`, but without processes and containers: its leader and its workers are fake
 * processes, and the programs of its jobs are scripts on a fake engine. One lab at a time: results are stored in one place per
 * process.
 */
export class FakeLab implements CheckedLab<FakeEngine> {
  readonly jobs: Jobs
  readonly engine: FakeEngine
  readonly workers: FakeWorker[] = []
  readonly tokens = []
  readonly log = ''
  readonly #scripts = new Map<string, Script>()
  readonly #test: FakeProcess
  readonly #services: FakeService[] = []
  /** The lab's first leader. */
  readonly leader: FakeService

  private constructor(
    readonly database: Database,
    readonly directory: string,
  ) {
    this.engine = new FakeEngine(this.#scripts)
    this.#test = this.#startProcess()
    this.leader = this.startLeader()
    this.jobs = new Jobs(database.pool, join(directory, 'results'), {
      lastOutput: () => JSON.stringify(this.engine.containers()),
      log: () => '',
    })
  }

  /**
   * Opens a lab that is closed after the test.
   * @param url an earlier lab's database, whose workers have ended.
   */
  static async open(url?: string): Promise<FakeLab> {
    const database = connect(url ?? (await cloneDatabase()), 8)
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-fake-lab-'))
    await mkdir(join(directory, 'results'))
    await recordStatusHistory(database.pool)
    setStorage(diskStore(directory))
    const lab = new FakeLab(database, directory)
    onTestFinished(() => lab.#close())
    return lab
  }

  /** Starts a worker, on the lab's engine unless another one is given. */
  startWorker(options: Partial<Omit<FakeWorkerOptions, 'startProcess'>> & { node: string }): FakeWorker {
    const worker = new FakeWorker({
      engine: this.engine,
      directory: join(this.directory, options.node),
      gpus: 1,
      maxOutputMib: 1,
      dedicatedTo: null,
      hooks: [],
      ...options,
      startProcess: () => this.#startProcess(),
    })
    this.workers.push(worker)
    worker.start()
    return worker
  }

  /** Starts a leader without an election. A second one is as the successor of one that does not know it yet. */
  startLeader(): FakeService {
    return this.startService((signal) => lead(builtinEngine, signal))
  }

  /** Starts a loop of gpuq as a process of its own. It ends with the lab. */
  startService(work: (signal: AbortSignal) => Promise<void>): FakeService {
    const service = new FakeService(this.#startProcess(), work)
    this.#services.push(service)
    return service
  }

  #startProcess(): FakeProcess {
    return new FakeProcess(`fake-${randomUUID()}`, this.database.url, this.database.pool)
  }

  /** The engine of another machine. It knows the programs of the lab's jobs. */
  openEngine(): FakeEngine {
    return new FakeEngine(this.#scripts)
  }

  /** Submits a job whose program is the script. */
  submit(script: Script, options: JobOptions = {}): Promise<string> {
    return this.jobs.submit(this.codeOf(script), options)
  }

  /** The code of a job whose program is the script. */
  codeOf(script: Script): string {
    const code = `script ${randomUUID()}`
    this.#scripts.set(code, script)
    return code
  }

  /** Waits until so many nodes take jobs. */
  async untilReady(nodes: number): Promise<void> {
    await this.jobs.until(`${nodes} nodes are ready`, async () => {
      const { rowCount } = await this.database.pool.query(`SELECT 1 FROM nodes WHERE status = 'ready'`)
      return rowCount === nodes
    })
  }

  /** The containers that the lab's nodes have on an engine. */
  async containers(engine = this.engine) {
    const ids = await this.#nodeIds()
    return engine.containers().filter(({ nodeId }) => ids.includes(nodeId))
  }

  /** Waits until the container of a job's latest attempt is in a state. */
  async untilContainer(jobId: string, state: string): Promise<void> {
    await this.jobs.until(`the container of ${jobId} is ${state}`, async () => {
      const { attempt } = await this.jobs.row(jobId)
      return (await this.containers()).some(
        (one) => one.jobId === jobId && one.attempt === attempt && one.state === state,
      )
    })
  }

  /** The names of the networks that the lab's nodes have on an engine. */
  async networks(engine = this.engine): Promise<string[]> {
    const ids = await this.#nodeIds()
    return ids.flatMap((id) => engine.networks(id).map(({ name }) => name))
  }

  async #nodeIds(): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ id: string }>('SELECT id FROM nodes')
    return rows.map(({ id }) => id)
  }

  /** Ends the lease of a node that nobody serves any more now: what is to be tested comes after that. */
  async expireLease(node: string): Promise<void> {
    await this.database.pool.query(
      `UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = $1`,
      [node],
    )
  }

  /** Calls functions of lib with this lab's database. */
  inDatabase<T>(work: () => Promise<T>): Promise<T> {
    return this.#test.run(work)
  }

  /** Programs of tasks that the workers have on disk. */
  async taskDirectories(): Promise<string[]> {
    const listed = this.workers.map(({ options }) => listBelow(join(options.directory, 'tasks')))
    return (await Promise.all(listed)).flat().filter((entry) => entry.endsWith('solution.py'))
  }

  async #close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()))
    await Promise.all(this.#services.map((service) => service.end()))
    await this.#test.exit()
    await this.database.close()
    await rm(this.directory, { recursive: true, force: true })
  }
}
