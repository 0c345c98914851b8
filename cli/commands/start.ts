import { resolve } from 'node:path'
import { GpuqError } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { type Connection, resolveConnection } from '../config'
import type { Context } from '../context'
import { exitCodes } from '../job/exit-code'
import { keepWatching } from '../start/keep-watching'
import {
  addressOf,
  defaultDataDir,
  findRoot,
  type LocalServer,
  startLocalServer,
} from '../start/local-server'
import { chooseToken, type SignedIn, signInLocally } from '../start/local-sign-in'
import { stopOnSignals } from '../start/shutdown-signals'
import { openStartLog, type StartLog } from '../start/start-log'

export interface StartOptions {
  gpus?: number
  jobsFile: string
  llmConfig: string
  stateFile: string
  logFile: string
  screen?: boolean
  memThreshold?: number
  loadThreshold?: number
  /** Seconds, as all of these. */
  monitorInterval: number
  stateInterval: number
  maxAssignAttempts: number
  assignRetryWait: number
  port?: number
  dataDir?: string
}

interface Starting {
  context: Context
  options: StartOptions
  journal: StartLog
  signal: AbortSignal
}

/** Starts the whole of gpuq on this machine, unless it runs, and makes jobs of a file's lines until Ctrl-C. */
export async function start(context: Context, options: StartOptions): Promise<number> {
  // Known before anything is written: without a server to start, there is nothing to keep a journal of.
  if (!context.env.GPUQ_SERVER) findRoot('start')
  const journal = await openStartLog(context.terminal, resolve(options.logFile))
  let here: LocalServer | null = null
  /** The server is gone, or could not be had: nothing is left to watch for. */
  const gone = new AbortController()
  const asked = stopOnSignals(
    () => void journal.note('Stopping.'),
    () => {
      here?.kill()
      process.exit(exitCodes.cancelled)
    },
  )
  const starting = { context, options, journal, signal: AbortSignal.any([asked, gone.signal]) }
  try {
    if (context.env.GPUQ_SERVER) await work(starting, await signInThere(starting), null)
    else {
      here = await startHere(starting)
      await Promise.race([serveFiles(starting, here), here.failed])
    }
    return exitCodes.ok
  } finally {
    gone.abort()
    await here?.stop()
    await journal.detail('Stopped.')
    await journal.close()
  }
}

async function serveFiles(starting: Starting, here: LocalServer): Promise<void> {
  const { context, journal, signal } = starting
  if (signal.aborted) return
  const connection: Connection = { server: here.server, token: await chosenToken(starting, here.server) }
  const signedIn = await signInLocally(context, journal, connection, signal)
  if (signedIn) await work(starting, signedIn, here)
}

/** Chosen once for each address: a new one must be the same for the server and for us. */
const chosen = new Map<string, Promise<string>>()
function chosenToken({ context }: Starting, server: string): Promise<string> {
  const token = chosen.get(server) ?? chooseToken(context.env, server)
  chosen.set(server, token)
  return token
}

async function startHere(starting: Starting): Promise<LocalServer> {
  const { context, options, journal, signal } = starting
  const { env } = context
  const port = options.port ?? Number(env.PORT || 8001)
  const dataDir = options.dataDir === undefined ? defaultDataDir(env) : resolve(options.dataDir)
  const token = await chosenToken(starting, addressOf(port))
  await journal.detail(`Starting gpuq with its data in ${dataDir}.`)
  return startLocalServer({ env, dataDir, port, gpus: options.gpus, token }, journal.note, signal)
}

/** A server that the environment names is used as it is: only the files are watched. */
async function signInThere({ context, options }: Starting): Promise<SignedIn> {
  if (options.gpus !== undefined || options.port !== undefined || options.dataDir !== undefined) {
    throw new GpuqError(
      'invalid_request',
      'GPUQ_SERVER names a server: leave --gpus, --port and --data-dir out, they are for a start on this machine.',
    )
  }
  const connection = await resolveConnection(context.env)
  return { connection, me: await context.connectTo(connection).users.me() }
}

async function work(
  starting: Starting,
  { connection, me }: SignedIn,
  here: LocalServer | null,
): Promise<void> {
  const { context, options, journal, signal } = starting
  const { server } = connection
  const client = context.connectTo(connection)
  await setThresholds(client, starting)
  const stops = here?.ours ? 'Ctrl-C stops all.' : 'Ctrl-C stops watching, and nothing else.'
  await journal.note(`Watching ${options.jobsFile} for ${server}. ${stops}`)
  const lines = {
    tty: options.screen ?? false,
    maxAssignAttempts: options.maxAssignAttempts,
    assignRetryWait: options.assignRetryWait,
  }
  const files = {
    jobsFile: resolve(options.jobsFile),
    llmConfig: resolve(options.llmConfig),
    stateFile: resolve(options.stateFile),
  }
  const { monitorInterval, stateInterval } = options
  await keepWatching({ client, server, me, journal, lines, ...files, monitorInterval, stateInterval }, signal)
}

/** Those that were given; the others stay as the server's admin has set them. */
async function setThresholds(client: Client, { options, journal }: Starting): Promise<void> {
  const { memThreshold, loadThreshold } = options
  if (memThreshold === undefined && loadThreshold === undefined) return
  try {
    await client.orchestrator.updatePolicy({
      ...(memThreshold === undefined ? {} : { memory_threshold: memThreshold }),
      ...(loadThreshold === undefined ? {} : { load_threshold: loadThreshold }),
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 403) throw error
    await journal.warn(`The thresholds stay as they are: ${error.message}`)
  }
}
