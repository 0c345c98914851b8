import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeFirstStartSecrets } from '@/deploy/run/settings.mjs'

/** A whole gpuq of one's own: PostgreSQL, web and worker as `npm start` runs them, on a free port. */
export interface System {
  url: string
  dataDir: string
  databaseUrl: string
  /** Process ids. */
  pids: { web: number; database: number; worker: number | null }
  adminToken: string
  adminEmail: string
  adminPassword: string
  stop(): Promise<void>
}

export interface SystemOptions {
  simulatedGpus?: number
  /** How many, each a node of its own; 0: nothing is run, what is submitted waits. */
  workers?: number
  /** Their nodes' names; named after the port where left out. */
  nodeNames?: readonly string[]
  env?: Record<string, string>
  /** PostgreSQL writes as it does for users: what it has committed survives a crash of the machine. */
  durable?: boolean
}

const root = join(import.meta.dirname, '..', '..')

/** Starts it from the built tree (`npm run build`), and resolves once it is ready. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gpuq-system-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const admin = {
    token: 'an-admin-token-for-the-tests-0123456789',
    email: 'admin@example.org',
    password: 'correct horse battery',
  }
  const { startEmbedded } = await import('@/lib/database/embedded')
  // Otherwise nothing here has to survive a crash of the machine.
  const postgres = await startEmbedded(dataDir, options.durable ? [] : ['fsync=off', 'full_page_writes=off'])
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: postgres.url,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    HOST: '127.0.0.1',
    GPUQ_URL: url,
    GPUQ_DATA_DIR: dataDir,
    GPUQ_ADMIN_TOKEN: admin.token,
    GPUQ_ADMIN_EMAIL: admin.email,
    GPUQ_ADMIN_PASSWORD: admin.password,
    GPUQ_NODE_NAME: `node-${port}`,
    GPUQ_SIMULATED_GPUS: String(options.simulatedGpus ?? 2),
    // The jobs of all tests wait in one queue.
    RESEARCH_AGENT_MAX_QUEUE_SIZE: '1000000',
    ...options.env,
  }
  const programs: ChildProcess[] = []
  const postmaster = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  const pids: System['pids'] = { web: 0, database: Number(postmaster.split('\n')[0]), worker: null }
  const stop = async () => {
    for (const program of programs.reverse()) await end(program)
    await postgres.stop()
    // The container of a job that still runs keeps its directories until the end of the test run, which deletes them.
    await rm(dataDir, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EBUSY') throw error
    })
  }
  try {
    await finish(run(['dist/setup.js'], environment, join(dataDir, 'setup.log')))
    takeFirstStartSecrets(environment)
    for (let worker = 0; worker < (options.workers ?? 1); worker++) {
      const name = worker === 0 ? 'worker' : `worker-${worker}`
      const nodeName = options.nodeNames?.[worker] ?? `node-${port}${worker === 0 ? '' : `-${worker}`}`
      const own = { ...environment, GPUQ_NODE_NAME: nodeName }
      programs.push(run(['dist/worker.js'], own, join(dataDir, `${name}.log`)))
    }
    const web = run(['dist/web.js'], environment, join(dataDir, 'web.log'))
    pids.worker = programs[0]?.pid ?? null
    pids.web = web.pid ?? 0
    programs.push(web)
    await untilReady(`${url}/readyz`)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    dataDir,
    databaseUrl: postgres.url,
    pids,
    adminToken: admin.token,
    adminEmail: admin.email,
    adminPassword: admin.password,
    stop,
  }
}

/** It ends with this process, however that ends. */
function run(args: string[], env: NodeJS.ProcessEnv, logFile: string): ChildProcess {
  const exitWithParent = ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs')]
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  const child = spawn(process.execPath, [...exitWithParent, ...args], { cwd: root, env, stdio: [...stdio] })
  const log = createWriteStream(logFile)
  child.stdout?.pipe(log, { end: false })
  child.stderr?.pipe(log, { end: false })
  return child
}

function finish(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a program ended with ${code}`))))
  })
}

/** SIGINT: the worker stops its containers and leaves nothing behind. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  const force = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await exited
  clearTimeout(force)
}

/** Waits until a web server is ready. */
export async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + 120_000
  while (performance.now() < deadline) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not become ready; build first with "npm run build"`)
}

/** A port that nothing uses now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
