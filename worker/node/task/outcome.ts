import type { EndReason } from '@/lib/contract/reasons'
import type { Outcome } from '@/lib/jobs/lifecycle/attempt-end'
import { type Exit, RuntimeFault } from '../../runtime/runtime'
import { PeersMissing } from './barrier'
import { DirectoryTooLarge } from './prepare-archive'
import { WorkspaceFault } from './workspace'

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

/** Exit codes of a program that somebody has ended: SIGKILL, SIGTERM. */
const endedByOthers = [128 + 9, 128 + 15]

/**
 * What an exit means. What gpuq itself stopped the task for comes first; then memory, because the kernel's kill looks
 * like any other from outside; then the program's own word. An engine that goes down, as with its machine, ends all
 * containers and the worker at once: a program that was ended while no worker was there is not blamed for it.
 */
export function outcomeOf(
  exit: Exit,
  stoppedFor: EndReason | null,
  memoryMib: number,
  unwatched = false,
): Outcome {
  const { exitCode } = exit
  // Peers of what ran out of memory fail with it, and stop it: it is still what ended them.
  const stopped = stoppedFor !== null && !(stoppedFor === 'peer_failed' && exit.outOfMemory)
  if (stopped) return { reason: stoppedFor, detail: null, exitCode }
  if (exit.outOfMemory) {
    const limit = `The limit was ${memoryMib} MiB; ask for more with memory_gb.`
    const child =
      exitCode === 0
        ? 'One of its processes was killed for memory, although the program itself ended with 0. '
        : ''
    return { reason: 'out_of_memory', detail: child + limit, exitCode }
  }
  if (exitCode === 0) return { reason: 'finished', detail: null, exitCode }
  const signal = exitCode > 128 ? signalNames[exitCode - 128] : undefined
  const said = `Exit code ${exitCode}${signal ? ` (${signal})` : ''}`
  if (unwatched && endedByOthers.includes(exitCode)) {
    const detail = `${said} while no worker was there, as when an engine or a machine goes down.`
    return { reason: 'worker_stopped', detail, exitCode }
  }
  return { reason: 'exit_code', detail: `${said}.`, exitCode }
}

/** The container was ended or removed by others than the program and gpuq. */
export function isForeignEnd(error: unknown): boolean {
  return error instanceof RuntimeFault && error.code === 'container_gone'
}

/** What a failure of gpuq or its engine means. None is the user's fault, but for a directory that is too large. */
export function outcomeOfFault(error: unknown): Outcome {
  if (error instanceof DirectoryTooLarge) {
    return { reason: 'out_of_memory', detail: error.message, exitCode: null }
  }
  if (error instanceof RuntimeFault && error.code === 'image_unavailable') {
    return { reason: 'image_unavailable', detail: error.message, exitCode: null }
  }
  if (error instanceof PeersMissing) return { reason: 'peers_missing', detail: error.message, exitCode: null }
  if (error instanceof WorkspaceFault) {
    return { reason: 'workspace_unavailable', detail: error.message, exitCode: null }
  }
  const detail =
    error instanceof RuntimeFault ? error.message : 'The node could not run it; its log says more.'
  return { reason: 'internal_error', detail, exitCode: null }
}
