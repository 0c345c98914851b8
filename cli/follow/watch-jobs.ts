import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sleep } from '@/lib/async/sleep'
import { parseJson } from '@/lib/contract/parse-json'
import type { Client } from '@/lib/http/client/client'
import type { Connection } from '../config'
import type { Terminal } from '../console/terminal'
import { readIfPresent } from '../files'
import { followOne } from './follow-one'
import { JobLogFile } from './job-log-file'
import { JobMonitor } from './job-monitor'
import { JobLabels, PrefixedLines } from './prefixed-lines'
import { ScreenSessions } from './screen-sessions'
import { type StartLog, warnOnChange } from './start-log'

const pollIntervalMs = 1_000
/** A busy server is asked less often: this many times the duration of the last check. */
const pauseFactor = 5
/** How long the last output of jobs that were stopped may take. */
const settleMs = 3_000

interface WatchJobs {
  client: Client
  connection: Connection
  env: NodeJS.ProcessEnv
  terminal: Terminal
  log: StartLog
  /** The directory for the jobs' log files. */
  logDir: string
  screen: boolean
  /** Its jobs end with this command. */
  endsJobs: boolean
  /** When an earlier `gpuq start` last looked, in milliseconds. */
  sinceMs: number
}

/**
 * Follows the user's jobs until `signal` is aborted: logs placements and ends, writes each job's output to a file, and
 * prints it or opens a session of GNU Screen for it.
 */
export async function watchJobs(options: WatchJobs, signal: AbortSignal): Promise<void> {
  const { client, connection, env, terminal, log, logDir, sinceMs } = options
  const warnFile = warnOnChange(log)
  const warnServer = warnOnChange(log)
  const labels = new JobLabels()
  const sessions = options.screen ? new ScreenSessions({ client, connection, env, log }) : null
  const follow = async (jobId: string) => {
    const shown = sessions === null ? new PrefixedLines(terminal, labels) : sessions.sink()
    const sinks = [new JobLogFile(resolve(logDir), warnFile), shown]
    try {
      await followOne(jobId, { client, log, sinks, signal })
    } catch (error) {
      await log.warn(`Job ${jobId} is not followed any more: ${messageOf(error)}`)
    }
  }
  await sessions?.endOld()
  const monitor = new JobMonitor({ client, sinceMs, follow })
  while (!signal.aborted) {
    const startedMs = performance.now()
    try {
      await monitor.check()
      await warnServer('')
    } catch (error) {
      await warnServer(`Cannot read the jobs: ${messageOf(error)} Retrying.`)
    }
    await sleep(Math.max(pollIntervalMs, pauseFactor * (performance.now() - startedMs)), signal)
  }
  await Promise.race([monitor.settled(), wait(settleMs)])
  if (options.endsJobs) await sessions?.close()
}

/** When the state file was last written; now if it does not exist. */
export async function lastWatched(stateFile: string): Promise<number> {
  const content = parseJson((await readIfPresent(resolve(stateFile))) ?? '')
  const at =
    typeof content === 'object' && content !== null && 'updated_at' in content ? content.updated_at : null
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
  return Number.isNaN(time) ? Date.now() : time
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
