import { resolve } from 'node:path'
import { invalidRequest } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { requireScreen } from '../follow/screen-sessions'
import { openStartLog, type StartLog } from '../follow/start-log'
import { exitCodes } from '../job/exit-code'
import {
  addressOf,
  defaultDataDir,
  findRoot,
  type LocalServer,
  mayKeepJobs,
  sharedBy,
  startLocalServer,
} from '../local/local-server'
import { type FileOptions, keepWatching } from './keep-watching'
import { chooseToken, type SignedIn, signInLocally } from './local-sign-in'
import { endScreenMode, recordScreenMode } from './screen-mode'
import { allowsHostFiles, isolated, onThisMachine } from './script-files'
import { stopOnSignals } from './shutdown-signals'

interface StartOptions extends FileOptions {
  gpus?: number
  logFile: string
  memThreshold?: number
  loadThreshold?: number
  port?: number
  dataDir?: string
  /** The directory in which commands of the project `default` run. */
  workdir?: string
  /** Runs scripts as uploaded files instead of in their own directory. */
  isolated?: boolean
}

interface StartContext {
  context: Context
  options: StartOptions
  log: StartLog
  signal: AbortSignal
}

/**
 * Starts gpuq on this machine if it does not run yet, and submits the lines of the jobs file until Ctrl-C.
 */
export async function start(context: Context, options: StartOptions): Promise<number> {
  // Check before anything is written: without a server to start, there is no log to open.
  if (!context.env.GPUQ_SERVER) findRoot('start')
  if (options.screen) await requireScreen(context.env)
  const log = await openStartLog(context.terminal, resolve(options.logFile))
  let localServer: LocalServer | null = null
  /** Aborted when the server has ended or could not start: then there is nothing to watch for. */
  const serverEnded = new AbortController()
  const interrupted = stopOnSignals({
    // gpuq's server says itself what it stops.
    onFirst: () => void (localServer?.ours ? log.detail('Stopping.') : log.note('Stopping.')),
    onSecond() {
      localServer?.kill()
      process.exit(exitCodes.cancelled)
    },
    outlivesTerminal: options.screen === true,
  })
  const starting = { context, options, log, signal: AbortSignal.any([interrupted, serverEnded.signal]) }
  try {
    if (context.env.GPUQ_SERVER) await watchFiles(starting, await signInRemotely(starting), null)
    else {
      localServer = await startLocally(starting)
      // After Ctrl-C the server has said itself what it stops.
      const ended = localServer.stopped.then(() =>
        interrupted.aborted ? undefined : log.note('gpuq was stopped.'),
      )
      await Promise.race([serveFiles(starting, localServer), localServer.failed, ended])
    }
    return exitCodes.ok
  } finally {
    serverEnded.abort()
    await endScreenMode(context.env)
    await localServer?.stop()
    await log.detail('Stopped.')
    await log.close()
  }
}

async function serveFiles(starting: StartContext, localServer: LocalServer): Promise<void> {
  const { context, log, signal } = starting
  if (signal.aborted) return
  const { server } = localServer
  const connection = { server, token: await tokenFor(starting, server) }
  const signedIn = await signInLocally(context, log, connection, signal)
  if (signedIn) await watchFiles(starting, signedIn, localServer)
}

/** One token for each address: the server and this program must use the same new token. */
const tokens = new Map<string, Promise<string>>()
function tokenFor({ context }: StartContext, server: string): Promise<string> {
  const token = tokens.get(server) ?? chooseToken(context.env, server)
  tokens.set(server, token)
  return token
}

async function startLocally(starting: StartContext): Promise<LocalServer> {
  const { context, options, log, signal } = starting
  const { env } = context
  const port = options.port ?? Number(env.PORT || 8001)
  const dataDir = options.dataDir === undefined ? defaultDataDir(env) : resolve(options.dataDir)
  const token = await tokenFor(starting, addressOf(port))
  await log.detail(`Starting gpuq with the data directory ${dataDir}.`)
  const workdir = options.workdir === undefined ? undefined : resolve(options.workdir)
  const hostFiles = options.isolated !== true && (await mayUseHostFiles(starting))
  const keepJobs = options.screen === true && mayKeepJobs(env)
  const portIsGiven = options.port !== undefined || Boolean(env.PORT)
  const server = { env, dataDir, port, portIsGiven, gpus: options.gpus, workdir, token, hostFiles, keepJobs }
  return startLocalServer(server, log.note, signal)
}

/**
 * Whether the new server may run scripts in their own directory. It refuses this setting itself if others may reach it
 * (lib/env/shared-server).
 */
async function mayUseHostFiles({ context, options, log }: StartContext): Promise<boolean> {
  const shared = options.workdir === undefined ? sharedBy(context.env) : '--workdir'
  if (shared === null) return true
  await log.note(
    `Scripts run as uploaded files, not in their own directory, because ${shared} is set: others may use this server.`,
  )
  return false
}

/** Uses the server that GPUQ_SERVER names. Only the files are watched. */
async function signInRemotely({ context, options }: StartContext): Promise<SignedIn> {
  const { gpus, port, dataDir, workdir } = options
  if ([gpus, port, dataDir, workdir].some((option) => option !== undefined)) {
    throw invalidRequest(
      '--gpus, --port, --data-dir and --workdir only apply to a local server, but GPUQ_SERVER names a remote one. Omit these options or unset GPUQ_SERVER.',
    )
  }
  const connection = await resolveConnection(context.env)
  return { connection, me: await (await context.connectTo(connection)).users.me() }
}

async function watchFiles(
  starting: StartContext,
  { connection, me }: SignedIn,
  localServer: LocalServer | null,
): Promise<void> {
  const { context, options, log, signal } = starting
  const { server } = connection
  const { env, terminal } = context
  const client = await context.connectTo(connection)
  await setThresholds(client, starting)
  const inPlace = options.isolated !== true && (await allowsHostFiles(me))
  const findFiles = inPlace ? onThisMachine(env) : isolated
  if (!inPlace && !options.isolated && localServer?.ours === false) {
    await log.note(
      'Scripts run as uploaded files: another program started this server, without the right to run scripts in their own directory. Stop it and start again to change this.',
    )
  }
  const keepsJobs = options.screen === true && mayKeepJobs(env)
  const stopHint = localServer?.ours
    ? keepsJobs
      ? 'Ctrl-C stops gpuq; running jobs go on, also if you close this terminal. gpuq stop ends them.'
      : 'Ctrl-C stops gpuq and its running jobs, which begin again at the next start.'
    : 'Press Ctrl-C to stop watching. The server keeps running.'
  await log.note(`Watching ${options.jobsFile}; jobs go to ${server}. ${stopHint}`)
  if (options.screen) await recordScreenMode(env, server)
  const endsJobs = localServer?.ours === true && !keepsJobs
  await keepWatching({ client, connection, me, env, terminal, log, options, findFiles, endsJobs }, signal)
}

/** Sets the thresholds that were given. The others keep the value that the admin has set. */
async function setThresholds(client: Client, { options, log }: StartContext): Promise<void> {
  const { memThreshold, loadThreshold } = options
  if (memThreshold === undefined && loadThreshold === undefined) return
  try {
    await client.orchestrator.updatePolicy({ memory_threshold: memThreshold, load_threshold: loadThreshold })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 403) throw error
    await log.warn(`Thresholds not changed: ${error.message}`)
  }
}
