import { setTimeout as sleep } from 'node:timers/promises'
import { createJobsClient } from '@/lib/http/client/jobs-client'
import type { ClientOptions } from '@/lib/http/client/transport'
import { type Connection, resolveConnection } from './config'
import { describeError } from './console/describe-error'
import { openRawTerminal } from './console/raw-terminal'
import { processTerminal } from './console/terminal'
import type { Context } from './context'
import { sendRequest } from './send-request'

/** Runs a command in this process and sets the exit code. */
export async function runCommand(act: (context: Context) => Promise<number>): Promise<void> {
  const terminal = processTerminal()
  let server: string | null = null
  const optionsFor = (connection: Connection): ClientOptions => {
    server = connection.server
    return { baseUrl: server, token: connection.token, send: sendRequest }
  }
  const connectTo: Context['connectTo'] = async (connection) => {
    const options = optionsFor(connection)
    const { createClient } = await import('@/lib/http/client/client')
    return createClient(options)
  }
  const context: Context = {
    env: process.env,
    terminal,
    connect: async () => connectTo(await resolveConnection(process.env)),
    connectToJobs: async () => createJobsClient(optionsFor(await resolveConnection(process.env))),
    connectTo,
    isInteractive: process.stdin.isTTY === true && terminal.outIsTerminal,
    openRaw: openRawTerminal,
    interrupted: () => {
      const controller = new AbortController()
      process.once('SIGINT', () => controller.abort())
      return controller.signal
    },
    sleep: (ms) => sleep(ms),
  }
  try {
    process.exitCode = await act(context)
  } catch (error) {
    const { text, exitCode } = describeError(error, server)
    await terminal.err(text)
    process.exitCode = exitCode
  }
}
