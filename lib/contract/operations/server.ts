import * as z from 'zod'
import { maxDocumentationQuery } from '../search/search-keys'
import { defineOperations, file, get, ok, post } from './operation'

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

const documentationHitSchema = z.object({
  href: z.string(),
  path: z.array(z.string()).describe('the headings above the section, outermost first, with its own'),
  excerpt: z.string(),
})

export type DocumentationHit = z.infer<typeof documentationHitSchema>

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
  searchDocumentation: get(
    '/api/docs/search',
    'public',
    'The sections of the documentation that contain every word or a word that starts with it, the best first',
    {
      query: z.object({
        q: z.string().max(maxDocumentationQuery),
        limit: z.coerce.number().int().min(1).max(30).default(30),
      }),
      responses: ok(z.array(documentationHitSchema)),
    },
  ),
  metrics: get('/metrics', 'read', "Metrics for Prometheus, with an admin's token that can read", {
    responses: file('text/plain'),
  }),
  health: get('/healthz', 'public', 'Liveness of the web server', { responses: file('Alive') }),
  ready: get('/readyz', 'public', 'Readiness of the web server', { responses: file('Ready') }),
})
