import type { WaitOptions } from '../job/follow-submitted'

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
  /** Ships the current directory, and runs the words in a copy of it. */
  withDir?: boolean
  /** What runs in a copy of the directory that is named. */
  command?: string
  /** From here on: with a directory alone. */
  nodes?: number
  runName?: string
  pool?: string
  cpu?: number
  memory?: number
  freshNodes?: boolean
}
