import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** A terminal in raw mode: every key goes to the program. Tests use a fake that records output. */
export interface RawTerminal {
  readonly size: { columns: number; rows: number }
  /** Aborted when the window was closed or the process received a signal to end. */
  readonly hangup: AbortSignal
  onKeys(listener: (bytes: Buffer) => void): void
  onResize(listener: () => void): void
  /** Restores the terminal. */
  close(): Promise<void>
}

const endings = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
/** Replies of the terminal that arrive late must not reach the shell as input. */
const lateAnswersMs = 60

/**
 * Switches the process's terminal to raw mode. Null if there is none. Without `rawOutput`, the terminal still adds
 * a carriage return to each line feed.
 */
export function openRawTerminal(rawOutput: boolean): RawTerminal | null {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return null
  const hangup = new AbortController()
  const leave = () => hangup.abort()
  let keyListener: (bytes: Buffer) => void = () => {}
  let resizeListener = () => {}
  const onData = (bytes: Buffer) => keyListener(bytes)
  const onResize = () => resizeListener()
  stdin.setRawMode(true)
  // Node's raw mode still converts line feeds, but full-screen programs use them only to move down.
  // setRawMode(false) restores the settings from before both changes.
  if (rawOutput) spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] })
  stdin.on('data', onData).on('end', leave).on('error', leave)
  stdout.on('resize', onResize)
  for (const signal of endings) process.on(signal, leave)
  return {
    get size() {
      // Some terminals report the size 0.
      return { columns: Math.min(1000, stdout.columns || 80), rows: Math.min(1000, stdout.rows || 24) }
    },
    hangup: hangup.signal,
    onKeys: (listener) => {
      keyListener = listener
    },
    onResize: (listener) => {
      resizeListener = listener
    },
    close: async () => {
      keyListener = () => {}
      if (!hangup.signal.aborted) await sleep(lateAnswersMs)
      stdin.off('data', onData).off('end', leave).off('error', leave)
      stdout.off('resize', onResize)
      for (const signal of endings) process.off(signal, leave)
      stdin.setRawMode(false)
      stdin.pause()
    },
  }
}
