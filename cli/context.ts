import type { Client } from '@/lib/http/client'
import type { Terminal } from './terminal'

/** What a command works with; nothing else of the process is touched by commands. */
export interface Context {
  env: NodeJS.ProcessEnv
  terminal: Terminal
  /** The API as the one who is signed in. */
  connect(): Promise<Client>
  /** The API of any server, with any token. */
  connectTo(connection: { server: string; token: string }): Client
  /** Aborted by the first Ctrl-C from now on; the second one ends the process. */
  interrupted(): AbortSignal
  sleep(ms: number): Promise<void>
}

/** One JSON document, for programs. */
export async function writeJson({ terminal }: Context, value: unknown): Promise<void> {
  await terminal.out(`${JSON.stringify(value, null, 2)}\n`)
}
