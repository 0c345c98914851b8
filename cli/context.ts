import type { Client } from '@/lib/http/client/client'
import type { RawOptions, RawTerminal } from './terminal/raw-terminal'
import type { Terminal } from './terminal/terminal'

/** What a command works with. Commands do not use the process in any other way. */
export interface Context {
  env: NodeJS.ProcessEnv
  terminal: Terminal
  /** An API client with the stored login. */
  connect(): Promise<Client>
  /** An API client for any server and token. */
  connectTo(connection: { server: string; token: string }): Client
  /** Whether input and output are both a terminal. */
  isInteractive: boolean
  /** Switches the terminal to raw mode. Null if there is no terminal, as in a pipe. */
  openRaw(options: RawOptions): RawTerminal | null
  /** Aborted by the first Ctrl-C from now on. The second Ctrl-C ends the process. */
  interrupted(): AbortSignal
  sleep(ms: number): Promise<void>
}

/** Writes one JSON document. */
export async function writeJson({ terminal }: Context, value: unknown): Promise<void> {
  await terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}
