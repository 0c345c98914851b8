import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { sleep } from '@/lib/async/sleep'
import { invalidRequest, unavailable } from '@/lib/contract/errors'
import { errorCode } from '../files'

interface LocalServerOptions {
  env: NodeJS.ProcessEnv
  /** Absolute path. */
  dataDir: string
  port: number
  /** Whether the user chose the port. */
  portIsGiven: boolean
  gpus: number | undefined
  /** The directory in which commands of the project `default` run; absolute path. */
  workdir: string | undefined
  /** The admin's token, if this start creates the admin. */
  token: string
  /** Lets the user of this command run scripts in their own directory. */
  hostFiles: boolean
  /** Its jobs go on when it stops. */
  keepJobs: boolean
}

const loopback = ['localhost', '127.0.0.1', '::1']

/** The variable with which others may use a server on this machine; null: none. */
export function sharedBy({ HOST, ...env }: NodeJS.ProcessEnv): string | null {
  if (HOST && !loopback.includes(HOST)) return 'HOST'
  const names = ['GPUQ_URL', 'GPUQ_TRUSTED_PROXIES', 'GPUQ_WORKSPACES', 'DATABASE_URL'] as const
  return names.find((name) => env[name]) ?? null
}

/** Whether jobs can outlive gpuq (lib/env/kept-jobs): nobody else may take them for lost. */
export function mayKeepJobs({ DATABASE_URL, GPUQ_ENGINE, GPUQ_KEEP_JOBS }: NodeJS.ProcessEnv): boolean {
  return !DATABASE_URL && GPUQ_ENGINE !== 'slurm' && GPUQ_KEEP_JOBS !== 'false'
}

/** The gpuq that serves this machine: our child process or an existing one. */
export interface LocalServer {
  server: string
  /** False if another start serves the data directory. It keeps running after this command. */
  ours: boolean
  /** Rejects when our child process exits unexpectedly. */
  failed: Promise<never>
  /** Resolves when another command, such as `gpuq stop`, has stopped our child process. */
  stopped: Promise<void>
  /** Stops the child process and waits for its exit. */
  stop(): Promise<void>
  /** Kills the child process. */
  kill(): void
}

const holderSchema = z.object({ pid: z.number().int(), port: z.number().int() })
const upSchema = z.object({ up: z.string() })
const pollIntervalMs = 500
/** The longest allowed job. The person who starts gpuq on their own machine needs no stricter limit. */
const maxJobSeconds = '2000000'

/**
 * Finds the checkout that contains this program.
 * @param command the command that needs it
 * @param from the directory of this program
 * @throws GpuqError invalid_request if only the command line is installed
 */
export function findRoot(
  command: keyof typeof withoutServer,
  from = dirname(fileURLToPath(import.meta.url)),
): string {
  for (let directory = from; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'deploy', 'run', 'start.mjs'))) return directory
    if (dirname(directory) === directory) throw invalidRequest(withoutServer[command])
  }
}

const alone = (command: string, where = '') =>
  `\`gpuq ${command}\` needs gpuq's server code, but only the command line is installed here. Clone gpuq${where}, and use the program \`gpuq\` of the clone: it installs what is missing.`
const withoutServer = {
  start: `${alone('start')} Or set GPUQ_SERVER to watch the files for a remote server.`,
  worker: alone('worker'),
  backup: alone('backup', " on the machine that has gpuq's data"),
  doctor: alone('doctor --local', ' on the machine that you want to check'),
  stop: alone('stop', ' on the machine whose gpuq you want to stop'),
  restore: alone('restore', ' on the machine that gets the data'),
}

export function defaultDataDir(env: NodeJS.ProcessEnv, root = findRoot('start')): string {
  return resolve(root, env.GPUQ_DATA_DIR || 'data')
}

export function addressOf(port: number): string {
  return `http://localhost:${port}`
}

/** Uses the gpuq that serves the data directory, or starts one. Resolves when it answers. */
export async function startLocalServer(
  options: LocalServerOptions,
  say: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<LocalServer> {
  const there = await findRunning(options.dataDir, say, signal)
  if (there === null) return startChild(options, signal)
  for (const option of ['gpus', 'workdir'] as const)
    if (options[option] !== undefined) await say(`gpuq is already running; --${option} is ignored.`)
  return {
    server: there,
    ours: false,
    failed: new Promise(() => {}),
    stopped: new Promise(() => {}),
    stop: async () => {},
    kill: () => {},
  }
}

/** Finds the address of the gpuq that serves a data directory. Waits if it is still starting. */
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
      await say(`Using the running gpuq for ${dataDir} at ${server}.`)
      return server
    }
    if (tries === 2) await say(`Waiting for another gpuq to start (process ${holder.pid}).`)
    await sleep(pollIntervalMs, signal)
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
    // The process exists, but belongs to another user.
    return errorCode(error) === 'EPERM'
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
 * Runs the same program as `npm start`, with its progress on this terminal. The child has its own session, so
 * that Ctrl-C reaches only this process and the parts stop in order. If this process is killed, the channel
 * closes and the child stops.
 */
async function startChild(options: LocalServerOptions, signal: AbortSignal): Promise<LocalServer> {
  const { port, dataDir, gpus, workdir, token, hostFiles, keepJobs } = options
  const root = findRoot('start')
  const env: NodeJS.ProcessEnv = {
    HOST: '127.0.0.1',
    GPUQ_MAX_TIME_S: maxJobSeconds,
    ...options.env,
    // Without one, the server uses the same port, and may serve another one for programs of this machine.
    PORT: options.portIsGiven ? String(port) : undefined,
    GPUQ_DATA_DIR: dataDir,
    GPUQ_ADMIN_TOKEN: token,
    // The token is for this program, not for the server's children.
    GPUQ_TOKEN: undefined,
    GPUQ_HOST_FILES: String(hostFiles),
    GPUQ_KEEP_JOBS: options.env.GPUQ_KEEP_JOBS || String(keepJobs),
    GPUQ_GPUS: gpus?.toString() ?? options.env.GPUQ_GPUS,
  }
  const programs = join(root, 'deploy', 'run')
  const program = ['--import', join(programs, 'exit-with-parent.mjs'), join(programs, 'start.mjs')]
  const args = workdir === undefined ? program : [...program, '--workdir', workdir]
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, args, { cwd: root, env, detached: true, stdio: [...stdio] })
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${error.message}`))
    child.once('exit', (code, by) =>
      resolve(code === 0 ? null : by ? `was terminated by ${by}` : `exited with code ${code}`),
    )
  })
  const never = new Promise<never>(() => {})
  const stopped = ended.then((how) => (how === null ? undefined : never))
  const failed = ended.then((how) => {
    if (how === null) return never
    throw unavailable(`gpuq's server ${how}. See its output above.`)
  })
  // Prevent an unhandled rejection if nobody awaits it.
  failed.catch(() => {})
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGINT')
    await ended
  }
  if (!signal.aborted) await Promise.race([isUp(child), failed, stopped, once(signal, 'abort')])
  return { server: addressOf(port), ours: true, failed, stopped, stop, kill: () => child.kill('SIGINT') }
}

function isUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (upSchema.safeParse(message).success) resolve()
    })
  })
}
