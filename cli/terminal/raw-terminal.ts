import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TerminalSize } from '@/lib/contract/jobs'

/** A person's terminal, whose every key goes to whoever has opened it. Tests give one that remembers. */
export interface RawTerminal {
  readonly size: TerminalSize
  /** Aborted when the person is gone: the window was closed, or the process was told to end. */
  readonly gone: AbortSignal
  onKeys(take: (bytes: Buffer) => void): void
  onResize(tell: () => void): void
  /** Gives the terminal back as it was. */
  close(): Promise<void>
}

export interface RawOptions {
  /** Whether what is written reaches the terminal as it is, or with a carriage return before each line feed. */
  output: 'as it is' | 'in lines'
}

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
/** What a terminal answers after it was left must not reach the shell as if it were typed. */
const lateAnswersMs = 60

/** Takes the process's terminal over; null when it has none. */
export function openRawTerminal({ output }: RawOptions): RawTerminal | null {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return null
  const gone = new AbortController()
  const leave = () => gone.abort()
  let take: (bytes: Buffer) => void = () => {}
  let tell = () => {}
  const onData = (bytes: Buffer) => take(bytes)
  const onResize = () => tell()
  stdin.setRawMode(true)
  // Node's raw mode goes on turning line feeds into new lines: a program for the whole screen moves down with them.
  // What setRawMode(false) brings back is how it was before all of this.
  if (output === 'as it is') spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] })
  stdin.on('data', onData).on('end', leave).on('error', leave)
  stdout.on('resize', onResize)
  for (const signal of endings) process.on(signal, leave)
  return {
    get size() {
      // Some terminals do not know how large they are, and say 0.
      return { columns: Math.min(1000, stdout.columns || 80), rows: Math.min(1000, stdout.rows || 24) }
    },
    gone: gone.signal,
    onKeys: (taker) => {
      take = taker
    },
    onResize: (teller) => {
      tell = teller
    },
    close: async () => {
      take = () => {}
      if (!gone.signal.aborted) await sleep(lateAnswersMs)
      stdin.off('data', onData).off('end', leave).off('error', leave)
      stdout.off('resize', onResize)
      for (const signal of endings) process.off(signal, leave)
      stdin.setRawMode(false)
      stdin.pause()
    },
  }
}
