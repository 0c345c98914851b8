import type { LineFilter } from './line'

/** The view options of the output. */
export interface OutputOptions {
  filter: LineFilter
  /** Wraps long lines. */
  wrap: boolean
  times: boolean
}

export const initialOptions: OutputOptions = { filter: 'all', wrap: false, times: false }
