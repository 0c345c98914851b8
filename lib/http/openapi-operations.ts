import { accessOperations } from './openapi-access'
import { clusterOperations } from './openapi-cluster'
import { jobOperations } from './openapi-jobs'
import type { Operation } from './openapi-operation'
import { queueOperations } from './openapi-queue'

/** Every route of the API. A test holds this list against the route handlers that there are. */
export const openapiOperations: readonly Operation[] = [
  ...jobOperations,
  ...accessOperations,
  ...queueOperations,
  ...clusterOperations,
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
