import { isCallToolResult } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { GpuqError, unavailable } from '@/lib/contract/errors'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { exitCodes } from '../job/exit-code'
import { resolveWorkingDirectory } from '../working-files/ship-directory'
import { AgentFiles } from './agent-files'
import { AgentTools } from './agent-tools'
import { messagesOf } from './messages-of'
import { Relay } from './relay'
import { Upstream } from './upstream'

/**
 * Serves the tools of the server to an agent on this machine, over stdin and stdout, until stdin ends. The working
 * directory of the agent is the working directory of its jobs.
 */
export async function mcp(
  context: Context,
  { directory: given = '.' }: { directory?: string },
): Promise<number> {
  const connection = await resolveConnection(context.env)
  // A client may start it in the home directory or in /. Its tools are there, and creating a job says what is wrong.
  const directory = await resolveWorkingDirectory(context.env, given).catch((error: unknown) => {
    if (error instanceof GpuqError) return error
    throw error
  })
  const upstream = new Upstream(connection)
  const client = await context.connectTo(connection)
  const files = new AgentFiles(context, client)
  const tools = new AgentTools({
    context,
    files,
    server: connection.server,
    directory,
    forward: async (params, signal = new AbortController().signal) => {
      const result = await upstream.ask({ method: 'tools/call', params }, signal)
      if (isCallToolResult(result)) return result
      throw unavailable('The server sent no result of a tool. Update gpuq here or there.')
    },
  })
  const wire = new StdioServerTransport(messagesOf(process.stdin))
  const relay = new Relay({ wire, upstream, tools })
  wire.onmessage = (message) => relay.receive(message)
  const closed = new Promise<void>((resolve) => {
    wire.onclose = resolve
    process.stdin.once('end', resolve)
    context.interrupted().addEventListener('abort', () => resolve())
  })
  await wire.start()
  if (typeof directory === 'string') await files.resume(connection.server, directory)
  await closed
  upstream.close()
  await files.close()
  await wire.close()
  process.stdin.pause()
  return exitCodes.ok
}
