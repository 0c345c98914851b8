import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { EndReason } from '@/lib/contract/reasons'
import type { Outcome } from '@/lib/jobs/state/finish'
import { type Exit, RuntimeFault } from '../../runtime/runtime'
import { TaskFault } from './task-fault'

const signalNames: Record<number, string> = {
  2: 'SIGINT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
  31: 'SIGSYS',
}

/** Exit codes of a program that was killed: SIGKILL, SIGTERM. */
const killedExitCodes = [128 + 9, 128 + 15]

/** What becomes of a task. */
export interface Conclusion {
  outcome: Outcome
  /** Its GPUs stay held, because its container could not be killed. */
  keepGpus: boolean
}

/** A run that ended while no worker was running. */
interface UnwatchedRun {
  /** Its time limit was over: the container has ended the program itself (ending-itself.ts). */
  wasOver: boolean
}

/** @param claimedMs when the task's times were read, by `performance.now()` */
export function unwatchedRun(
  { ranSeconds, timeLimitS }: Pick<ClaimedTask, 'ranSeconds' | 'timeLimitS'>,
  { finishedAt }: Exit,
  claimedMs: number,
): UnwatchedRun {
  if (finishedAt === null) return { wasOver: false }
  const sinceS = (performance.timeOrigin + claimedMs - finishedAt.getTime()) / 1000
  return { wasOver: ranSeconds - sinceS >= timeLimitS }
}

/**
 * Determines the outcome of an exit. The order of precedence is: gpuq's own stop reason; out of memory, which looks
 * like any other kill; the exit code. When an engine or its machine goes down, all containers and the worker end at
 * once, so a program that was killed while no worker was running is not blamed.
 */
export function outcomeOf(
  exit: Exit,
  stoppedFor: EndReason | null,
  memoryMib: number,
  unwatched: UnwatchedRun | null = null,
): Outcome {
  const { exitCode } = exit
  // If peers of an out-of-memory task fail as a result and stop it, out of memory is still the cause.
  const stopped = stoppedFor !== null && !(stoppedFor === 'peer_failed' && exit.outOfMemory)
  if (stopped) return { reason: stoppedFor, detail: null, exitCode }
  if (exit.outOfMemory) {
    const limit = `The limit was ${memoryMib} MiB; request more with memory_gb.`
    const child =
      exitCode === 0
        ? 'One of its processes was killed for memory, although the program itself ended with 0. '
        : ''
    return { reason: 'out_of_memory', detail: child + limit, exitCode }
  }
  if (exitCode === 0) return { reason: 'finished', detail: null, exitCode }
  const signal = exitCode > 128 ? signalNames[exitCode - 128] : undefined
  const summary = `Exit code ${exitCode}${signal ? ` (${signal})` : ''}`
  if (unwatched?.wasOver) return { reason: 'timeout', detail: `${summary}.`, exitCode }
  if (unwatched && killedExitCodes.includes(exitCode)) {
    const detail = `${summary} while no worker was running, for example because an engine or a machine went down.`
    return { reason: 'engine_restarted', detail, exitCode }
  }
  return { reason: 'exit_code', detail: `${summary}.`, exitCode }
}

/** Whether something other than the program or gpuq ended or removed the container. */
export function isExternalEnd(error: unknown): boolean {
  return error instanceof RuntimeFault && error.code === 'container_gone'
}

/** Faults that an outage of the engine does not explain. */
const notByOutage: ReadonlySet<RuntimeFault['code']> = new Set(['kill_failed', 'internet_unavailable'])

/**
 * Determines the outcome of a failure before or beside the program.
 * @param engineOutage whether the engine was unavailable while the task ran: then the engine caused its other faults.
 */
export function outcomeOfFault(error: unknown, engineOutage = false): Outcome {
  if (error instanceof TaskFault) return { reason: error.reason, detail: error.message, exitCode: null }
  if (!(error instanceof RuntimeFault)) {
    const detail = 'The node could not run it. See the log of its worker.'
    return { reason: 'internal_error', detail, exitCode: null }
  }
  if (engineOutage && !notByOutage.has(error.code))
    return { reason: 'engine_restarted', detail: error.message, exitCode: null }
  return { reason: reasonOf(error), detail: error.message, exitCode: null }
}

function reasonOf({ code }: RuntimeFault): EndReason {
  return code === 'image_unavailable' || code === 'internet_unavailable' ? code : 'internal_error'
}
