import { defineOperations, file, get } from './operation'

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
  metrics: get('/metrics', 'read', "Metrics for Prometheus, with an admin's token that can read", {
    responses: file('text/plain'),
  }),
  health: get('/healthz', 'public', 'Liveness of the web server', { responses: file('Alive') }),
  ready: get('/readyz', 'public', 'Readiness of the web server', { responses: file('Ready') }),
})
