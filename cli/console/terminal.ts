import { once } from 'node:events'
import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { Screen } from './fit-screen'

type Write = (text: string) => Promise<void>
type WriteExact = (content: string | Uint8Array) => Promise<void>

/** The two streams of a command. Text of others cannot control the terminal: see {@link visibleOutput}. */
interface Streams {
  out: Write
  err: Write
  /** As it is: control sequences of gpuq itself, and output of the user's own jobs where it may be exact. */
  outAsIs: WriteExact
  errAsIs: WriteExact
}

/** Where a command writes. Tests use a fake that records the output. */
export interface Terminal extends Streams {
  outIsTerminal: boolean
  errIsTerminal: boolean
  /** The current size of the terminal. Null if output is not a terminal. */
  screen(): Screen | null
  /** NO_COLOR is not set. */
  coloursWanted: boolean
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Colour = keyof typeof codes

export function processTerminal(): Terminal {
  return {
    ...toStreams(writerTo(process.stdout), writerTo(process.stderr)),
    outIsTerminal: process.stdout.isTTY === true,
    errIsTerminal: process.stderr.isTTY === true,
    screen: () => {
      const { rows, columns } = process.stdout
      return process.stdout.isTTY && rows > 0 && columns > 0 ? { rows, columns } : null
    },
    coloursWanted: !process.env.NO_COLOR && process.env.TERM !== 'dumb',
  }
}

export function toStreams(outAsIs: WriteExact, errAsIs: WriteExact): Streams {
  return {
    out: (text) => outAsIs(visibleOutput(text)),
    err: (text) => errAsIs(visibleOutput(text)),
    outAsIs,
    errAsIs,
  }
}

/** Waits for a slow reader: a job may print faster than a pipe is read. */
function writerTo(stream: NodeJS.WriteStream): WriteExact {
  return async (content) => {
    // A terminal that was closed never drains. The listener in index.ts decides what that means.
    if (!stream.write(content)) await once(stream, 'drain').catch(() => undefined)
  }
}

export function paint(text: string, colour: Colour | null, wanted: boolean): string {
  return colour !== null && wanted ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/** Text of other users, such as a job's name, stays in its line. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
