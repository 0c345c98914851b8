import { z } from 'zod'
import { defineOperations, file, get, post } from './operation'

/** The MCP library checks messages itself: the schema only documents their shape. */
const mcpMessage = z.looseObject({}).meta({
  properties: { jsonrpc: { type: 'string', const: '2.0' }, method: { type: 'string' } },
  required: ['jsonrpc', 'method'],
})

export const agentOperations = defineOperations('agents', 'agents', {
  message: post('/api/mcp', 'token', 'A message of the Model Context Protocol (stateless HTTP) for agents', {
    body: mcpMessage,
    responses: {
      200: { description: 'The response to a request, as JSON' },
      202: { description: 'The notification was accepted' },
    },
  }),
})

export const serverOperations = defineOperations('server', 'operations', {
  openapi: get('/api/openapi.json', 'public', 'This document', { responses: file('OpenAPI 3.1') }),
  commandLine: get('/gpuq.tgz', 'public', 'The gpuq command, as an npm package', {
    responses: {
      200: { description: 'application/gzip, with an ETag' },
      304: { description: 'The package still has the ETag of If-None-Match' },
    },
  }),
  pythonClient: get('/gpuq.py', 'public', 'The Python client, with the address of this server', {
    responses: {
      200: { description: 'text/x-python, with an ETag' },
      304: { description: 'The file still has the ETag of If-None-Match' },
    },
  }),
  documentPicture: get('/docs/images/{name}', 'public', 'A picture of the documentation', {
    responses: {
      200: { description: 'image/png or image/svg+xml, with an ETag' },
      304: { description: 'The picture still has the ETag of If-None-Match' },
    },
  }),
  metrics: get('/metrics', 'admin', 'Metrics for Prometheus', { responses: file('text/plain') }),
  health: get('/healthz', 'public', 'Liveness of the web server', { responses: file('Alive') }),
  ready: get('/readyz', 'public', 'Readiness of the web server', { responses: file('Ready') }),
})
