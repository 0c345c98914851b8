import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { GpuqError } from '@/lib/contract/errors'

interface LocalServerOptions {
  env: NodeJS.ProcessEnv
  /** Absolute. */
  dataDir: string
  port: number
  gpus: number | undefined
  /** The admin's token, if this start is the one that makes the admin. */
  token: string
}

/** The gpuq that serves this machine: our child, or one that was there. */
export interface LocalServer {
  server: string
  /** False where another start serves the data directory: it goes on without us. */
  ours: boolean
  /** Rejects when our child ends by itself. */
  failed: Promise<never>
  /** Ends what we started, and waits for it. */
  stop(): Promise<void>
  /** Ends it without order. */
  kill(): void
}

const holderSchema = z.object({ pid: z.number().int(), port: z.number().int() })
const upSchema = z.object({ up: z.string() })
const lookEveryMs = 500
/** The longest that a job may be allowed to run: who starts gpuq for themselves is nobody's guest. */
const longestSeconds = '2000000'

/**
 * The checkout that this program belongs to.
 * @param command what needs it
 * @param from the directory that this program lies in
 * @throws GpuqError invalid_request where it is installed by itself: the command is not one that is to be had there
 */
export function findRoot(
  command: 'start' | 'worker',
  from = dirname(fileURLToPath(import.meta.url)),
): string {
  for (let directory = from; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'deploy', 'run', 'start.mjs'))) return directory
    if (dirname(directory) === directory) throw new GpuqError('invalid_request', withoutServer[command])
  }
}

const alone =
  'and this is the command line alone. In a checkout of gpuq run `npm ci`, `npm run build` and `npm link`, then try again'
const withoutServer = {
  start: `\`gpuq start\` runs gpuq's server, ${alone}; or set GPUQ_SERVER, and the files are watched for that server.`,
  worker: `\`gpuq worker\` runs a part of gpuq's server, ${alone}.`,
}

export function defaultDataDir(env: NodeJS.ProcessEnv): string {
  return resolve(findRoot('start'), env.GPUQ_DATA_DIR || 'data')
}

export function addressOf(port: number): string {
  return `http://localhost:${port}`
}

/** Uses the gpuq that serves the data directory, or starts one. Resolves once it answers. */
export async function startLocalServer(
  options: LocalServerOptions,
  say: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<LocalServer> {
  const there = await findRunning(options.dataDir, say, signal)
  if (there === null) return startChild(options, signal)
  if (options.gpus !== undefined) await say('It runs already: --gpus is for the one who starts it.')
  return { server: there, ours: false, failed: new Promise(() => {}), stop: async () => {}, kill: () => {} }
}

/** Where the gpuq of a data directory answers; one that is just starting is waited for. */
async function findRunning(
  dataDir: string,
  say: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<string | null> {
  for (let tries = 0; !signal.aborted; tries++) {
    const holder = readHolder(join(dataDir, 'running.json'))
    if (holder === null || !isAlive(holder.pid)) return null
    const server = addressOf(holder.port)
    if (await answers(server)) {
      await say(`gpuq serves ${dataDir} already, at ${server}.`)
      return server
    }
    if (tries === 2)
      await say(`Another start of gpuq is getting ready (process ${holder.pid}): waiting for it.`)
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
  }
  return null
}

function readHolder(file: string): z.output<typeof holderSchema> | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process is one, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function answers(server: string): Promise<boolean> {
  try {
    return (await fetch(`${server}/readyz`, { signal: AbortSignal.timeout(5_000) })).ok
  } catch {
    return false
  }
}

/**
 * Runs what `npm start` runs. It shows its own progress on our terminal. It has a session of its own, so that Ctrl-C
 * reaches us alone and all ends in order; should we be killed, the channel between us ends, and it stops.
 */
async function startChild(options: LocalServerOptions, signal: AbortSignal): Promise<LocalServer> {
  const { port, dataDir, gpus, token } = options
  const root = findRoot('start')
  const env: NodeJS.ProcessEnv = {
    HOST: '127.0.0.1',
    GPUQ_MAX_TIME_S: longestSeconds,
    ...options.env,
    PORT: String(port),
    GPUQ_DATA_DIR: dataDir,
    GPUQ_ADMIN_TOKEN: token,
    // For this program, not for those below it.
    GPUQ_TOKEN: undefined,
    ...(gpus === undefined ? {} : { GPUQ_GPUS: String(gpus) }),
  }
  const program = [join(root, 'deploy', 'run', 'start.mjs')]
  const child = spawn(
    process.execPath,
    ['--import', join(root, 'deploy', 'run', 'exit-with-parent.mjs'), ...program],
    {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('exit', (code, by) => resolve(by ? `was ended by ${by}` : `ended with exit code ${code}`))
  })
  const failed = ended.then((how): never => {
    throw new GpuqError('unavailable', `gpuq's server ${how}. What it said stands above.`)
  })
  // Nobody may be waiting for it any more when it happens.
  failed.catch(() => {})
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
    await ended
  }
  if (!signal.aborted) await Promise.race([isUp(child), failed, once(signal, 'abort')])
  return { server: addressOf(port), ours: true, failed, stop, kill: () => child.kill('SIGINT') }
}

function isUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (upSchema.safeParse(message).success) resolve()
    })
  })
}
