import type { Client } from '@/lib/http/client/client'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import type { RawTerminal } from './console/raw-terminal'
import { type Column, renderTable } from './console/table'
import type { Terminal } from './console/terminal'
import { exitCodes } from './job/exit-code'

/** What a command works with. Commands do not use the process in any other way. */
export interface Context {
  env: NodeJS.ProcessEnv
  terminal: Terminal
  /** An API client with the stored login. */
  connect(): Promise<Client>
  /** The part of that client for jobs, which is loaded in a third of the time. */
  connectToJobs(): Promise<JobsClient>
  /** An API client for any server and token. */
  connectTo(connection: { server: string; token: string }): Promise<Client>
  /** Whether input and output are both a terminal. */
  isInteractive: boolean
  /** Switches the terminal to raw mode, and its output if `rawOutput`. Null if there is no terminal. */
  openRaw(rawOutput: boolean): RawTerminal | null
  /** Aborted by the first Ctrl-C from now on. The second Ctrl-C ends the process. */
  interrupted(): AbortSignal
  sleep(ms: number): Promise<void>
}

/** Prints a result as text, or as JSON if `--json` was given. Returns the exit code of a success. */
export async function print(
  context: Context,
  json: boolean | undefined,
  value: unknown,
  text: string,
): Promise<number> {
  return json ? writeJson(context, value) : writeText(context, text)
}

/** Prints a list as a table, or as JSON. An empty table is replaced by a message on stderr. */
export async function printList<Row>(
  context: Context,
  json: boolean | undefined,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  none: string,
): Promise<number> {
  const { terminal } = context
  if (json || rows.length > 0) return print(context, json, rows, renderTable(columns, rows, terminal))
  await terminal.err(`${none}\n`)
  return exitCodes.ok
}

/** Writes one JSON document. Returns the exit code of a success. */
export function writeJson(context: Context, value: unknown): Promise<number> {
  return writeText(context, `${JSON.stringify(value, null, 2)}\n`)
}

/** Writes a result. Returns the exit code of a success. */
export async function writeText({ terminal }: Context, text: string): Promise<number> {
  await terminal.out(text)
  return exitCodes.ok
}
