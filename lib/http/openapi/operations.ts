import { z } from 'zod'
import { accessOperations } from './access'
import { archiveOperations } from './archives'
import { artifactOperations } from './artifacts'
import { clusterOperations } from './cluster'
import { jobOperations } from './jobs'
import type { Operation } from './operation'
import { queueOperations } from './queue'

/** Every route of the API. A test holds this list against the route handlers that there are. */
export const openapiOperations: readonly Operation[] = [
  ...jobOperations,
  ...artifactOperations,
  ...archiveOperations,
  ...accessOperations,
  ...queueOperations,
  ...clusterOperations,
  {
    method: 'post',
    path: '/api/mcp',
    tag: 'agents',
    summary: 'The tools of agents: one message of the Model Context Protocol (streamable HTTP, stateless)',
    access: 'token',
    body: z.looseObject({ jsonrpc: z.literal('2.0'), method: z.string() }),
    answers: {
      200: { description: 'The answer to a request, as JSON' },
      202: { description: 'A notification was taken' },
    },
  },
  {
    method: 'get',
    path: '/api/openapi.json',
    tag: 'operations',
    summary: 'This document',
    access: 'public',
    answers: { 200: { description: 'OpenAPI 3.1' } },
  },
  {
    method: 'get',
    path: '/gpuq.tgz',
    tag: 'operations',
    summary: 'The gpuq command, as an npm package',
    access: 'public',
    answers: {
      200: { description: 'application/gzip, with an ETag' },
      304: { description: 'What If-None-Match names is still it' },
    },
  },
  {
    method: 'get',
    path: '/metrics',
    tag: 'operations',
    summary: 'Figures for Prometheus',
    access: 'admin',
    answers: { 200: { description: 'text/plain' } },
  },
  {
    method: 'get',
    path: '/healthz',
    tag: 'operations',
    summary: 'The web server is alive',
    access: 'public',
    answers: { 200: { description: 'Alive' } },
  },
  {
    method: 'get',
    path: '/readyz',
    tag: 'operations',
    summary: 'The web server can serve',
    access: 'public',
    answers: { 200: { description: 'Ready' } },
  },
]
