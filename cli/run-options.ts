import type { WaitOptions } from './follow-submitted'

/** What `run` takes. */
export interface RunOptions extends Omit<WaitOptions, 'wait'> {
  /** Undefined: as the form of the command has it. */
  wait?: boolean
  gpus?: number
  gpuMemory?: number
  gpuModel?: string
  priority?: number
  name?: string
  project?: string
  environment?: string
  expectedTime?: number
  retries?: number
  env?: Record<string, string>
  tty?: boolean
  /** From here on: for a directory alone. */
  command?: string
  nodes?: number
  runName?: string
  pool?: string
  cpu?: number
  memory?: number
}
