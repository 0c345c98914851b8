import type { WaitOptions } from '../job/follow-submitted'

/** The options of `gpuq run`. */
export interface RunOptions extends Omit<WaitOptions, 'wait'> {
  /** Undefined: the default depends on the form of the command. */
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
  /** Ships the current directory and runs the command in a copy of it. */
  withDir?: boolean
  /** The command to run in a copy of the named directory. */
  command?: string
  /** The options below need a directory. */
  nodes?: number
  runName?: string
  pool?: string
  cpu?: number
  memory?: number
  freshNodes?: boolean
}
