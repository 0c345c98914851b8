import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { backoff } from '@/lib/async/backoff'
import { killGroup, readLines } from './processes.mjs'

export interface Program {
  /** The name that users see: `web`, `worker`. */
  name: string
  /** Arguments for Node. */
  args: string[]
  env: NodeJS.ProcessEnv
  logFile: string
  /** Receives each line that also goes to the log file. */
  onLine?: (line: string) => void
}

export interface Supervised {
  /** Rejects if the program cannot start: it ended `failuresBeforeGivingUp` times before `settled`. */
  readonly failed: Promise<never>
  /** Declares the program started. From now on it is restarted without a limit. */
  settled(): void
  /** Sends SIGINT, and kills the program after `graceMs`. */
  stop(graceMs: number): Promise<void>
  /** Kills the program and starts it again without a delay, because its code has changed. */
  restart(): void
  /** Kills the program. */
  kill(): void
}

const firstDelayMs = 500
const maxDelayMs = 30_000
/** After running this long, the program counts as recovered and its failure count resets. */
const recoveredMs = 60_000
const failuresBeforeGivingUp = 3
const logLimitBytes = 10_000_000

/** The delay before the next start after this many consecutive failures (at least one). */
export function restartDelay(failures: number): number {
  return backoff(failures, firstDelayMs, maxDelayMs)
}

/**
 * Keeps a program running: restarts it when it ends, with increasing delays. The program has its own session,
 * so that Ctrl-C reaches only the supervisor, which stops the programs in order.
 */
export function supervise(program: Program, say: (sentence: string) => void): Supervised {
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let isSettled = false
  let restarting = false
  let failures = 0
  let onEnd = () => {}
  let giveUp: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Prevent an unhandled rejection if nobody awaits it.
  failed.catch(() => {})

  function start() {
    const started = performance.now()
    child = launch(program)
    child.once('error', (error) => ended(error.message))
    child.once('exit', (code, signal) =>
      ended(signal ? `was terminated by ${signal}` : `exited with code ${code}`),
    )
    const ended = (how: string) => {
      if (!child) return
      child = undefined
      onEnd()
      if (stopping) return
      if (restarting) {
        restarting = false
        start()
        return
      }
      failures = performance.now() - started > recoveredMs ? 1 : failures + 1
      if (!isSettled && failures >= failuresBeforeGivingUp) {
        giveUp(new Error(`${capitalise(program.name)} ${how} repeatedly.\n${lastLines(program.logFile)}`))
        return
      }
      const delay = restartDelay(failures)
      say(
        `${capitalise(program.name)} ${how}; restarting in ${delay / 1000} s (log: ${shorten(program.logFile)})`,
      )
      timer = setTimeout(start, delay)
    }
  }

  function killNow() {
    // The program leads its own process group. Kill its children too.
    if (child?.pid) killGroup(child.pid, 'SIGKILL')
  }

  start()
  return {
    failed,
    settled() {
      isSettled = true
    },
    async stop(graceMs) {
      stopping = true
      clearTimeout(timer)
      const running = child
      if (!running) return
      const gone = new Promise<void>((resolve) => {
        onEnd = resolve
      })
      running.kill('SIGINT')
      const killing = setTimeout(killNow, graceMs)
      await gone
      clearTimeout(killing)
    },
    restart() {
      if (stopping || restarting) return
      clearTimeout(timer)
      restarting = child !== undefined
      if (child) killNow()
      else start()
    },
    kill() {
      stopping = true
      clearTimeout(timer)
      killNow()
    },
  }
}

function launch({ args, env, logFile, onLine }: Program): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true })
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > logLimitBytes) renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a', 0o640)
  const out = onLine ? 'pipe' : log
  // The IPC channel closes when the supervisor ends, which tells the program to exit.
  const child = spawn(process.execPath, args, { env, detached: true, stdio: ['ignore', out, out, 'ipc'] })
  closeSync(log)
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream || !onLine) continue
    readLines(stream, (line) => {
      appendFileSync(logFile, `${line}\n`)
      onLine(line)
    })
  }
  return child
}

function lastLines(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-12)
  return [`The last lines of ${shorten(logFile)}:`, ...lines.map((line) => `  ${line}`)].join('\n')
}

function shorten(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
