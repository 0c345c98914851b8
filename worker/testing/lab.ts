import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Database, setDatabase } from '@/lib/database/client'
import { removeAllMemoryDirectories } from '../files/memory-directory'
import { parseWarmName } from '../runtime/spec/warm-spec'
import { cloneDatabase, recordStatusHistory } from './clone-database'
import { Engine } from './engine'
import { Jobs } from './jobs'
import { listBelow } from './list-below'
import { type WorkerOptions, WorkerProcess } from './worker-process'

/** Address ranges for the networks of jobs, which no two labs of this process share, nor most likely those of others. */
const ranges = 128 * 16
let nextRange = randomInt(ranges)
function takeRange(): string {
  const range = nextRange++ % ranges
  return `10.${64 + Math.floor(range / 16)}.${16 * (range % 16)}.0/20`
}

/** Labs run side by side, and functions of lib use one database at a time. */
let turn: Promise<unknown> = Promise.resolve()

export interface LabOptions {
  /** A migrated database; left out: one cloned from the run's template. */
  url?: string
  engine?: Engine
  /** How many warm containers each worker may keep; left out: none. */
  warmContainers?: number
}

/**
 * A gpuq of its own for one scenario: a database, workers that are real processes, and the real engine. Several run at
 * once without seeing each other.
 */
export class Lab {
  readonly jobs: Jobs
  readonly workers: WorkerProcess[] = []
  /** Tokens that were used here. No disk and no database may contain one. */
  readonly tokens: string[] = []
  private readonly cleanUps: (() => Promise<unknown>)[] = []
  private readonly databaseCleanUps: (() => Promise<unknown>)[] = []
  /** Labs that run beside each other on one engine must not want the same addresses. */
  readonly jobNetworks = takeRange()

  private constructor(
    readonly database: Database,
    readonly directory: string,
    readonly engine: Engine,
    private readonly warmContainerLimit: number,
  ) {
    this.jobs = new Jobs(database.pool, this.resultsDirectory, {
      lastOutput: () => this.describe(),
      log: () => this.log,
    })
  }

  static async open({ url, engine = new Engine(), warmContainers = 0 }: LabOptions = {}): Promise<Lab> {
    const database = connect(url ?? (await cloneDatabase()), 8)
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-lab-'))
    const lab = new Lab(database, directory, engine, warmContainers)
    for (const shared of [lab.resultsDirectory, lab.blobsDirectory]) await mkdir(shared, { mode: 0o700 })
    await recordStatusHistory(database.pool)
    return lab
  }

  /** Where all workers of the lab put results, as on a shared disk. */
  get resultsDirectory(): string {
    return join(this.directory, 'results')
  }

  /** Where the workers find uploaded files. */
  get blobsDirectory(): string {
    return join(this.directory, 'blobs')
  }

  /** Starts a worker. Its data directory is its node's own, unless it is on another machine. */
  async startWorker(
    options: Partial<WorkerOptions> & { node: string },
    machine = options.node,
  ): Promise<WorkerProcess> {
    const dataDir = join(this.directory, machine)
    if (await mkdir(dataDir, { recursive: true })) {
      await symlink(this.resultsDirectory, join(dataDir, 'results'))
      await symlink(this.blobsDirectory, join(dataDir, 'blobs'))
    }
    const { jobNetworks } = this
    const variables = { GPUQ_WARM_CONTAINERS: String(this.warmContainerLimit), ...options.variables }
    const given = { databaseUrl: this.database.url, dataDir, jobNetworks, ...options, variables }
    const worker = new WorkerProcess(given)
    this.workers.push(worker)
    worker.start()
    return worker
  }

  /** Waits until so many nodes take jobs. */
  async untilReady(nodes: number): Promise<void> {
    await this.jobs.until(`${nodes} nodes are ready`, async () => {
      const { rowCount } = await this.database.pool.query(`SELECT 1 FROM nodes WHERE status = 'ready'`)
      return rowCount === nodes
    })
  }

  /** Registers a function to run when the lab closes, in reverse order. */
  afterwards(undo: () => Promise<unknown>): void {
    this.cleanUps.unshift(undo)
  }

  /** Says what to undo once the lab has closed its database. */
  afterDatabase(undo: () => Promise<unknown>): void {
    this.databaseCleanUps.push(undo)
  }

  /** The containers that the lab's nodes have on an engine, without warm ones that have no task. */
  async containers(engine = this.engine) {
    return (await this.allContainers(engine)).filter(({ name }) => parseWarmName(name) === null)
  }

  /** The warm containers of the lab's nodes that have no task. */
  async warmContainers() {
    return (await this.allContainers(this.engine)).filter(({ name }) => parseWarmName(name) !== null)
  }

  private async allContainers(engine: Engine) {
    const { rows } = await this.database.pool.query<{ id: string }>('SELECT id FROM nodes')
    const found = await Promise.all(rows.map(({ id }) => engine.containers(`gpuq.node=${id}`)))
    return found.flat()
  }

  /** The networks that the lab's nodes have on an engine. */
  async networks(engine = this.engine): Promise<string[]> {
    const { rows } = await this.database.pool.query<{ id: string }>('SELECT id FROM nodes')
    const found = await Promise.all(rows.map(({ id }) => engine.networks(`gpuq.node=${id}`)))
    return found.flat()
  }

  /** Holds the locks that a statement takes, however long, until what this returns is called. */
  async holdLocks(statement: string, values: unknown[] = []): Promise<() => Promise<void>> {
    const client = await this.database.pool.connect()
    await client.query('BEGIN')
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await client.query(statement, values)
    let held = true
    const letGo = async () => {
      if (!held) return
      held = false
      await client.query('COMMIT')
      client.release()
    }
    this.afterwards(letGo)
    return letGo
  }

  /** Lets the lease of a node that nobody serves any more run out now: what is to be tested comes after that. */
  async expireLease(node: string): Promise<void> {
    await this.database.pool.query(
      `UPDATE nodes SET lease_expires_at = now() - interval '1 second' WHERE name = $1`,
      [node],
    )
  }

  /** Calls functions of lib with this lab's database. */
  async inDatabase<T>(work: () => Promise<T>): Promise<T> {
    const working = turn.then(() => {
      setDatabase(this.database)
      return work()
    })
    turn = working.catch(() => {})
    return working
  }

  /** Gives Python's image another name, which no registry knows and which goes when the lab does. */
  async tagImage(image = `localhost:1/gpuq:${randomBytes(6).toString('hex')}`): Promise<string> {
    const [, repository = '', tag = ''] = /^(.*):([^:]*)$/.exec(image) ?? []
    this.afterwards(() => this.engine.untag(image))
    await this.engine.tag('gpuq/python:2', repository, tag)
    return image
  }

  /** Task directories that the workers have on disk. */
  async taskDirectories(): Promise<string[]> {
    const listed = this.workers.map(async ({ options }) => {
      const entries = await listBelow(join(options.dataDir, 'tasks'))
      return entries.map((entry) => `${options.node}: ${entry}`)
    })
    return (await Promise.all(listed)).flat().filter((entry) => entry.endsWith('solution.py'))
  }

  /** All that the workers have logged. */
  get log(): string {
    return this.workers.map(({ log }) => log).join('\n')
  }

  /** What a failed test is told: the jobs, and the last words of the workers. */
  describe(): string {
    const logs = this.workers.map(
      ({ node, log }) => `${node}:\n${log.trim().split('\n').slice(-12).join('\n')}`,
    )
    return logs.join('\n\n')
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()))
    const left = await this.allContainers(this.engine).catch(() => [])
    await Promise.all(left.map(({ id }) => this.engine.remove(id)))
    const networks = await this.networks().catch(() => [])
    await Promise.all(networks.map((name) => this.engine.removeNetwork(name)))
    for (const undo of this.cleanUps) await undo()
    await this.database.close()
    for (const undo of this.databaseCleanUps) await undo()
    await removeAllMemoryDirectories(this.directory)
    await rm(this.directory, { recursive: true, force: true })
  }
}
