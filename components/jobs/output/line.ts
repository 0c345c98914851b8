import type { AnsiStyle } from './ansi-style'

export type LineKind = 'stdout' | 'stderr' | 'notice'
export type LineFilter = 'all' | 'stdout' | 'stderr'

/** One line as it stands now. `number` counts from 0 over everything the job printed. */
export interface OutputLine {
  readonly number: number
  readonly kind: LineKind
  readonly text: string
  /** When its first piece came, in milliseconds. */
  readonly at: number
  /** The style the stream was in when the line began. */
  readonly start: AnsiStyle
  /** Characters of the line that are not kept here. */
  readonly cut: number
}
