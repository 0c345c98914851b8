import type { Client } from '@/lib/http/client/client'
import type { RawOptions, RawTerminal } from './terminal/raw-terminal'
import type { Terminal } from './terminal/terminal'

/** What a command works with; nothing else of the process is touched by commands. */
export interface Context {
  env: NodeJS.ProcessEnv
  terminal: Terminal
  /** The API as the one who is signed in. */
  connect(): Promise<Client>
  /** The API of any server, with any token. */
  connectTo(connection: { server: string; token: string }): Client
  /** Whether a person sits at both ends: keys come from a terminal, and output goes to one. */
  isInteractive: boolean
  /** Takes the person's terminal over, key for key; null where there is none, as in a pipe. */
  openRaw(options: RawOptions): RawTerminal | null
  /** Aborted by the first Ctrl-C from now on; the second one ends the process. */
  interrupted(): AbortSignal
  sleep(ms: number): Promise<void>
}

/** One JSON document, for programs. */
export async function writeJson({ terminal }: Context, value: unknown): Promise<void> {
  await terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}
