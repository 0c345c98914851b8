import { type FileHandle, open } from 'node:fs/promises'
import { conflict } from '@/lib/contract/errors'
import { paint, type Terminal, withoutControls } from '../console/terminal'
import { errorCode } from '../files'

/** Messages of `gpuq start`, on the terminal and in its log file. */
export interface StartLog {
  /** To both. */
  note(text: string): Promise<void>
  /** To both, as a warning. */
  warn(text: string): Promise<void>
  /** To the log file only. */
  detail(text: string): Promise<void>
  close(): Promise<void>
}

export async function openStartLog(terminal: Terminal, path: string): Promise<StartLog> {
  const log = await openLog(path)
  const colours = terminal.outIsTerminal && terminal.coloursWanted
  // A full disk must not stop the queue. The terminal still shows the messages.
  const write = (kind: string, text: string) =>
    log.appendFile(`${new Date().toISOString()} ${kind} ${withoutControls(text)}\n`).catch(() => {})
  return {
    note: async (text) => {
      await write('info', text)
      await terminal.out(`${paint('gpuq:', 'dim', colours)} ${withoutControls(text)}\n`)
    },
    warn: async (text) => {
      await write('warn', text)
      await terminal.err(`${paint('gpuq:', 'yellow', colours)} ${withoutControls(text)}\n`)
    },
    detail: (text) => write('info', text),
    close: () => log.close(),
  }
}

/** Returns a function that warns if its text differs from the previous one. An empty text ends the problem. */
export function warnOnChange({ warn }: StartLog): (text: string) => Promise<void> {
  let last = ''
  return async (text) => {
    const isNew = text !== '' && text !== last
    last = text
    if (isNew) await warn(text)
  }
}

async function openLog(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'a', 0o640)
  } catch (cause) {
    const message = `Cannot write the log file ${path} (${errorCode(cause)}).`
    throw conflict(`${message} Choose another one with --log-file.`, { cause })
  }
}
