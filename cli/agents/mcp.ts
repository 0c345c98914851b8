import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { GpuqError, unavailable } from '@/lib/contract/errors'
import { version } from '../../package.json'
import { resolveConnection } from '../config'
import type { Context } from '../context'
import { exitCodes } from '../job/exit-code'
import { resolveWorkingDirectory } from '../working-files/ship-directory'
import { AgentFiles } from './agent-files'
import { AgentTools } from './agent-tools'
import { messagesOf } from './messages-of'

/** WaitForGPUJobs takes up to a minute. */
const longestCallMs = 120_000

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
  const upstream = await connectTo(connection)
  const client = await context.connectTo(connection)
  const files = new AgentFiles(context, client)
  const tools = new AgentTools({
    context,
    files,
    server: connection.server,
    directory,
    forward: (params) => upstream.request({ method: 'tools/call', params }, { timeout: longestCallMs }),
  })
  const instructions = upstream.getInstructions()
  const server = new Server(upstream.getServerVersion() ?? { name: 'gpuq', version }, {
    capabilities: { tools: {} },
    ...(instructions === undefined ? {} : { instructions }),
  })
  server.setRequestHandler('tools/list', ({ params }) => upstream.request({ method: 'tools/list', params }))
  server.setRequestHandler('tools/call', ({ params }) => tools.call(params))
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    process.stdin.once('end', resolve)
    context.interrupted().addEventListener('abort', () => resolve())
  })
  await server.connect(new StdioServerTransport(messagesOf(process.stdin)))
  if (typeof directory === 'string') await files.resume(connection.server, directory)
  await closed
  await files.close()
  await server.close()
  process.stdin.pause()
  await upstream.close()
  return exitCodes.ok
}

/** Connects to the tools of the server. @throws GpuqError if it does not answer as such. */
async function connectTo({ server, token }: { server: string; token: string }): Promise<Client> {
  const upstream = new Client({ name: 'gpuq mcp', version })
  const headers = { authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${server}/api/mcp`), {
    requestInit: { headers },
  })
  await upstream.connect(transport).catch((cause: unknown) => {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw unavailable(
      `The tools of ${server} cannot be used: ${said.slice(0, 300)}. Check the address, or run \`gpuq login\`.`,
    )
  })
  return upstream
}
