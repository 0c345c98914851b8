import { z } from 'zod'
import { defineOperations, file } from './operation'

/** The MCP library checks messages itself: the schema only documents their shape. */
const mcpMessage = z.looseObject({}).meta({
  properties: { jsonrpc: { type: 'string', const: '2.0' }, method: { type: 'string' } },
  required: ['jsonrpc', 'method'],
})

export const agentOperations = defineOperations('agents', 'agents', {
  message: {
    method: 'post',
    path: '/api/mcp',
    summary: 'The tools of agents: one message of the Model Context Protocol (streamable HTTP, stateless)',
    access: 'token',
    body: mcpMessage,
    responses: {
      200: { description: 'The answer to a request, as JSON' },
      202: { description: 'A notification was taken' },
    },
  },
})

/** The server itself. */
export const serverOperations = defineOperations('server', 'operations', {
  openapi: {
    method: 'get',
    path: '/api/openapi.json',
    summary: 'This document',
    access: 'public',
    responses: file('OpenAPI 3.1'),
  },
  commandLine: {
    method: 'get',
    path: '/gpuq.tgz',
    summary: 'The gpuq command, as an npm package',
    access: 'public',
    responses: {
      200: { description: 'application/gzip, with an ETag' },
      304: { description: 'What If-None-Match names is still it' },
    },
  },
  metrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Figures for Prometheus',
    access: 'admin',
    responses: file('text/plain'),
  },
  health: {
    method: 'get',
    path: '/healthz',
    summary: 'The web server is alive',
    access: 'public',
    responses: file('Alive'),
  },
  ready: {
    method: 'get',
    path: '/readyz',
    summary: 'The web server can serve',
    access: 'public',
    responses: file('Ready'),
  },
})
