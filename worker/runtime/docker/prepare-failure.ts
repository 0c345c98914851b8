import { constants } from 'node:os'
import { prepareLimitS, unusableExitCode } from '../prepared/prepare-script'

const maxLength = 300

interface PrepareEnd {
  exitCode: number
  outOfMemory: boolean
  /** The end of its output. */
  printed: string
  memoryMib: number
}

/** Describes why a container that imported modules ended before it had a job. */
export function describePrepareFailure({ exitCode, outOfMemory, printed, memoryMib }: PrepareEnd): string {
  if (outOfMemory) return `the imports exceeded the memory of a job (${memoryMib} MiB)`
  if (exitCode === 128 + constants.signals.SIGALRM) return `the imports took longer than ${prepareLimitS} s`
  const text = printed.trim()
  if (exitCode === unusableExitCode && text !== '') return text.slice(0, maxLength)
  const last = text.split('\n').at(-1) ?? ''
  return `Python ended with exit code ${exitCode}${last === '' ? '' : `: ${last.slice(0, maxLength)}`}`
}
