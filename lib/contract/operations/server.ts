import { z } from 'zod'
import { defineOperations, file, get, post } from './operation'

/** The MCP library checks messages itself: the schema only documents their shape. */
const mcpMessage = z.looseObject({}).meta({
  properties: { jsonrpc: { type: 'string', const: '2.0' }, method: { type: 'string' } },
  required: ['jsonrpc', 'method'],
})

export const agentOperations = defineOperations('agents', 'agents', {
  message: post(
    '/api/mcp',
    'token',
    'The tools of agents: one message of the Model Context Protocol (streamable HTTP, stateless)',
    {
      body: mcpMessage,
      responses: {
        200: { description: 'The answer to a request, as JSON' },
        202: { description: 'A notification was taken' },
      },
    },
  ),
})

/** The server itself. */
export const serverOperations = defineOperations('server', 'operations', {
  openapi: get('/api/openapi.json', 'public', 'This document', { responses: file('OpenAPI 3.1') }),
  commandLine: get('/gpuq.tgz', 'public', 'The gpuq command, as an npm package', {
    responses: {
      200: { description: 'application/gzip, with an ETag' },
      304: { description: 'What If-None-Match names is still it' },
    },
  }),
  metrics: get('/metrics', 'admin', 'Figures for Prometheus', { responses: file('text/plain') }),
  health: get('/healthz', 'public', 'The web server is alive', { responses: file('Alive') }),
  ready: get('/readyz', 'public', 'The web server can serve', { responses: file('Ready') }),
})
