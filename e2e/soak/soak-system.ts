import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { createEngineClient, type EngineClient } from '@/deploy/engine/docker-api.mjs'
import { startEmbedded } from '@/lib/database/embedded'
import { PrivateEngine } from '@/worker/testing/private-engine'
import { until } from '@/worker/testing/until'
import { registerAbsentNode } from '../system/absent-node'
import { freePort, untilReady } from '../system/start-system'
import { Program } from './program'
import { statusHistory } from './status-history'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

/** Seconds; short, so that a stopped worker loses its lease within one fault. */
export const leaseSeconds = 20

/**
 * A complete gpuq of its own: PostgreSQL, two web servers, two workers and a Docker engine in a network namespace. Faults
 * hit `web` and `worker`. `web-2` and `worker-2` are never killed, so that their memory shows leaks over the whole run.
 */
export class SoakSystem {
  readonly adminToken = 'an-admin-token-for-the-soak-0123456789'
  readonly urls: string[] = []
  readonly webs: Program[] = []
  readonly workers: Program[] = []
  readonly pool: pg.Pool
  readonly docker: EngineClient
  private postgres: Awaited<ReturnType<typeof startEmbedded>> | undefined

  private constructor(
    readonly dataDir: string,
    readonly engine: PrivateEngine,
    private readonly namespace: string,
    databaseUrl: string,
  ) {
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'soak' })
    // A killed PostgreSQL ends idle connections.
    this.pool.on('error', () => {})
    this.docker = createEngineClient(`unix://${engine.socketPath}`)
  }

  static async start(): Promise<SoakSystem> {
    const namespace = `gpuq-soak-${process.pid}`
    await run('ip', ['netns', 'add', namespace])
    await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up'])
    const engine = await PrivateEngine.start({ liveRestore: true, namespace, wholeImage: true }).catch(
      async (error: unknown) => {
        await run('ip', ['netns', 'delete', namespace])
        throw error
      },
    )
    const dataDir = await mkdtemp(join(tmpdir(), 'gpuq-soak-'))
    const postgres = await startEmbedded(dataDir)
    const system = new SoakSystem(dataDir, engine, namespace, postgres.url)
    system.postgres = postgres
    try {
      await system.startPrograms(postgres.url)
    } catch (error) {
      await system.stop()
      throw error
    }
    return system
  }

  private async startPrograms(databaseUrl: string): Promise<void> {
    mkdirSync(join(this.dataDir, 'logs'), { recursive: true })
    const ports = [await freePort(), await freePort()]
    const shared = environment(this, databaseUrl)
    const first = { ...shared, PORT: String(ports[0]), GPUQ_URL: `http://127.0.0.1:${ports[0]}` }
    await run(process.execPath, ['dist/setup.js'], {
      cwd: root,
      env: { ...first, GPUQ_ADMIN_TOKEN: this.adminToken, GPUQ_ADMIN_PASSWORD: 'correct horse battery' },
    })
    await this.pool.query(statusHistory)
    const log = (name: string) => join(this.dataDir, 'logs', `${name}.log`)
    for (const [index, name] of ['worker', 'worker-2'].entries()) {
      const env = { ...first, GPUQ_NODE_NAME: `soak-${index + 1}` }
      this.workers.push(new Program(name, ['--enable-source-maps', 'dist/worker.js'], env, log(name)))
    }
    for (const [index, name] of ['web', 'web-2'].entries()) {
      const url = `http://127.0.0.1:${ports[index]}`
      this.urls.push(url)
      const env = { ...shared, PORT: String(ports[index]), GPUQ_URL: url }
      this.webs.push(new Program(name, ['dist/web.js'], env, log(name)))
    }
    for (const program of this.programs) program.start()
    for (const url of this.urls) await untilReady(`${url}/readyz`)
    await until('both nodes are ready', () => this.nodesAreReady(new Date(0)))
    await registerAbsentNode(databaseUrl)
  }

  get programs(): Program[] {
    return [...this.workers, ...this.webs]
  }

  /** Whether both nodes accept jobs and have renewed their lease since then. */
  async nodesAreReady(since: Date): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `SELECT 1 FROM nodes WHERE status = 'ready' AND lease_expires_at > greatest(now(), $1::timestamptz + make_interval(secs => $2))`,
      [since, leaseSeconds],
    )
    return rowCount === 2
  }

  async postgresPid(): Promise<number> {
    const text = await readFile(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8')
    return Number(text.split('\n')[0])
  }

  /** `kill -9`, or a stop as an admin does it. */
  async endPostgres(how: 'kill' | 'stop'): Promise<void> {
    if (how === 'stop') return this.postgres?.stop()
    process.kill(await this.postgresPid(), 'SIGKILL')
  }

  /** Just after a kill, processes of the old server may still be ending. */
  async startPostgres(): Promise<void> {
    this.postgres = await until('PostgreSQL starts again', () =>
      startEmbedded(this.dataDir).catch(() => null),
    )
  }

  /** Stops everything. Returns what the workers left in the engine. */
  async stop(): Promise<{ containers: number; networks: number; volumes: number }> {
    await Promise.all(this.programs.map((program) => program.stop()))
    const left = await this.countInEngine().catch(() => ({ containers: 0, networks: 0, volumes: 0 }))
    await this.pool.end()
    await this.postgres?.stop()
    await this.engine.remove()
    await run('ip', ['netns', 'delete', this.namespace])
    await rm(this.dataDir, { recursive: true, force: true })
    return left
  }

  /** Everything that the engine has, except for its three built-in networks. */
  async countInEngine(): Promise<{ containers: number; networks: number; volumes: number }> {
    const ask = (path: string) => this.docker.call('GET', path, { idleMs: 10_000 })
    const [containers, networks, volumes] = await Promise.all([
      ask('/containers/json?all=1'),
      ask('/networks'),
      ask('/volumes'),
    ])
    const own = networks.filter(({ Name }: { Name: string }) => !['none', 'host', 'bridge'].includes(Name))
    return { containers: containers.length, networks: own.length, volumes: volumes.Volumes?.length ?? 0 }
  }
}

function environment({ dataDir, engine }: SoakSystem, databaseUrl: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DOCKER_HOST: `unix://${engine.socketPath}`,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    HOST: '127.0.0.1',
    GPUQ_DATA_DIR: dataDir,
    GPUQ_SIMULATED_GPUS: '2',
    GPUQ_NODE_LEASE_S: String(leaseSeconds),
    GPUQ_JOB_FIREWALL: 'false',
    // The load comes from few users.
    GPUQ_WRITES_PER_MINUTE: '1000000',
    GPUQ_CANCELLED_PER_MINUTE: '1000000',
    RESEARCH_AGENT_MAX_QUEUE_SIZE: '1000000',
  }
}
