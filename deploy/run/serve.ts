/** Runs the database, the web server and the worker. Their prerequisites have been prepared. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureFirstRun, type FirstRun } from '@/lib/access/first-run'
import { timeLimit } from '@/lib/async/time-limit'
import { readPolicy } from '@/lib/cluster/admin/policy'
import { env, forgetFirstStartSecrets, loadEnv, publicUrl } from '@/lib/env'
import { probeEngine } from '../engine/engine.mjs'
import { clearJobs } from './clear-jobs'
import { cudaNotice } from './first-start/cuda-notice'
import { createFirstSimulatedNodes } from './first-start/first-simulated-nodes'
import { submitSample } from './first-start/sample-job'
import { describeAdmin, describeResult, welcome } from './first-start/welcome'
import { type LocalPort, prepareLocalPort } from './local-port'
import { formatLogLine } from './log-line'
import { networkAddresses } from './network'
import { localUrl, type Mode, webProgram, workerProgram } from './programs'
import type { Report } from './report.mjs'
import { startDatabase } from './run-database'
import { root } from './settings.mjs'
import { type Program, type Supervised, supervise } from './supervise'
import { explainError, type Undo, undoAll } from './undo'
import { startWatchdog } from './watchdog'

/** The web and the worker, while they run. */
export interface Programs {
  /** Kills them at once. */
  kill(): void
  /** Replaces the worker with one that has the new code. Its containers run on, and the new worker adopts them. */
  restartWorker(): void
}

interface Serving {
  mode: Mode
  report: Report
  /** Aborted when gpuq is to stop. */
  signal: AbortSignal
  dataDir: string
  /** Variables that the launcher has taken out of the environment; only the first start needs them. */
  secrets: Record<string, string>
  engine: { host: string; bringBack(): Promise<unknown> }
  /** Called when the programs have started. */
  onPrograms(programs: Programs): void
}

const graceMs = { web: 5_000, worker: 20_000 }
const readyMs = 60_000
const engineLookMs = 2_000
const sampleDir = join(root, 'deploy', 'sample')

/** Starts everything, waits for the signal, and stops everything in reverse order. */
export async function serve(serving: Serving): Promise<void> {
  const { report, signal, dataDir } = serving
  const undo: Undo[] = []
  loadEnv(serving.secrets)
  let unseen: FirstRun | undefined
  try {
    watchEngine(serving, undo)
    await startDatabase(serving, undo)
    const first = await report.step('Admin and default environment', ensureFirstRun)
    const local = await prepareLocalPort(report, serving.mode === 'development')
    forgetFirstStartSecrets()
    const { HOST, PORT } = env()
    const place = {
      url: publicUrl(),
      networkAddresses: networkAddresses(HOST, PORT),
      dataDir,
      sampleDir,
      keepsJobs: env().GPUQ_KEEP_JOBS,
    }
    if (first.created) unseen = first
    await startPrograms(serving, local, undo)
    await createFirstSimulatedNodes(report, signal)
    if (first.created) await runSample(serving, first.admin.token)
    const notice = await cudaNotice().catch(() => null)
    if (notice !== null) report.warn(notice)
    const startedByGpuq = process.send !== undefined
    report.line(welcome(place, first, !startedByGpuq))
    // `gpuq start` waits for this message before it prints its own.
    process.send?.({ up: localUrl() })
    unseen = undefined
    signal.throwIfAborted()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  } catch (error) {
    // The new credentials are shown only once. Print them even if the start fails.
    if (unseen) report.line(`\n${describeAdmin(unseen)}\n`)
    throw error
  } finally {
    await undoAll(undo, report)
  }
}

function watchEngine({ engine, report }: Serving, undo: Undo[]): void {
  const stopLooking = startWatchdog({
    name: 'The Docker engine',
    answers: async () => (await probeEngine(engine.host)).state !== 'absent',
    restart: engine.bringBack,
    say: report.warn,
    everyMs: engineLookMs,
  })
  undo.push({ work: stopLooking })
}

async function startPrograms(
  { mode, report, signal, dataDir, engine, onPrograms }: Serving,
  local: LocalPort | null,
  undo: Undo[],
): Promise<void> {
  signal.throwIfAborted()
  const run = (program: Program) =>
    supervise(mode === 'development' ? showOutput(program, report) : program, report.warn)
  const worker = run(workerProgram(mode, dataDir))
  undo.push({
    title: 'Worker stopped',
    async work() {
      await worker.stop(graceMs.worker)
      await clearJobs(engine.host, dataDir)
    },
  })
  const web = run(webProgram(mode, dataDir, local))
  undo.push({ title: 'Web stopped', work: () => web.stop(graceMs.web) })
  onPrograms({
    kill() {
      web.kill()
      worker.kill()
    },
    restartWorker: worker.restart,
  })
  await report.step('Web and worker', () => waitUntilReady([web, worker], signal))
  web.settled()
  worker.settled()
}

/** A developer reads the logs in the terminal. */
function showOutput(program: Program, report: Report): Program {
  const name = program.name.padEnd(6)
  return {
    ...program,
    onLine(line) {
      const text = formatLogLine(line)
      if (text) report.line(`${name} │ ${text}`)
    },
  }
}

async function waitUntilReady(programs: Supervised[], signal: AbortSignal): Promise<void> {
  const limit = timeLimit(readyMs, signal)
  const ready = async () => {
    while (!(await answersReady(limit))) await sleep(100, undefined, { signal: limit })
  }
  try {
    await Promise.race([ready(), ...programs.map(({ failed }) => failed)])
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.aborted) throw error
    throw new Error(`${localUrl()}/readyz did not answer within ${readyMs / 1000} s. Look at the logs.`)
  }
}

async function answersReady(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(`${localUrl()}/readyz`, { signal })).ok
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Runs the sample job. Its failure does not stop gpuq, because the pages show the cause. */
async function runSample({ report, signal }: Serving, token: string): Promise<void> {
  if (!(await readPolicy()).running) {
    report.line('The orchestrator is stopped, so no sample job runs. POST /orchestrator/start starts it.')
    return
  }
  try {
    const result = await report.step(
      'Sample job',
      () => submitSample(localUrl(), token, sampleDir, signal),
      ({ status }) => status,
    )
    report.line(describeResult(result))
  } catch (error) {
    signal.throwIfAborted()
    report.warn(`The sample job gave no result: ${explainError(error)}`)
  }
}
