import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { callTool, describeTools } from './call-tool'
import type { ToolCall } from './job-tools'

const instructions =
  'A GPU job queue. Create a job with CreateGPUJob, follow it with ViewGPUJob and ReadGPUJobLog, stop it with StopGPUJob. ViewGPUCluster lists the GPUs and environments.'

/**
 * Answers one message of the Model Context Protocol. Keeps no state: each message has its own server, so any web
 * process can answer it.
 */
export async function answerMessage(request: Request, message: unknown, call: ToolCall): Promise<Response> {
  const { server } = new McpServer({ name: 'gpuq', title: 'gpuq', version: '0.1.0' }, { instructions })
  server.registerCapabilities({ tools: {} })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: describeTools() }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(call, params.name, params.arguments),
  )
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
