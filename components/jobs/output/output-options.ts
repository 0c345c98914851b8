import type { LineFilter } from './line'

/** How the reader wants the output shown. */
export interface OutputOptions {
  filter: LineFilter
  /** Breaks long lines instead of running them out of sight. */
  wrap: boolean
  times: boolean
}

export const initialOptions: OutputOptions = { filter: 'all', wrap: false, times: false }
