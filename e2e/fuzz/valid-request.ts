import { configText, formBody, formType, uploadParts, waitingConfig } from '../uploads'
import type { ApiDocument, ApiOperation } from './api-document'
import type { FuzzRequest } from './fuzz-request'
import { encodeJson } from './hostile-values'
import { type Callers, idsFor, type KnownIds } from './known-objects'
import type { Random } from './random'

/** What requests are made from. */
export interface Sources {
  document: ApiDocument
  known: KnownIds
  callers: Callers
  host: string
}

/** Paths that are no operations: pages, sign-in, files, and the queue API where its clients expect it. */
export const otherPaths = [
  'GET /',
  'GET /jobs',
  'GET /jobs/01920000-0000-7000-8000-000000000000',
  'GET /sign-in',
  'GET /submit',
  'GET /settings',
  'GET /invitations/x',
  'GET /admin/users',
  'GET /_next/static/x.js',
  'GET /_next/image?url=%2Fx.png&w=64&q=75',
  'GET /api/nothing',
  'GET /queue',
  'GET /orchestrator/policy',
  'POST /queue/submit',
  'POST /gpu/initialize',
  'GET /api/auth/session',
  'GET /api/auth/csrf',
  'GET /api/auth/providers',
  'GET /api/auth/error',
  'POST /api/auth/callback/credentials',
  'POST /api/auth/signin/credentials',
  'POST /api/auth/signout',
  'POST /sign-in',
] as const

const agentTools = [
  'CreateGPUJob',
  'SubmitGPUJobs',
  'PreviewGPUJobs',
  'WaitForGPUJobs',
  'GetGPUJobMetrics',
  'CompareGPUJobs',
  'GetGPUBudget',
  'ViewGPUJob',
  'DiagnoseGPUJob',
  'StopGPUJob',
  'ListGPUJobs',
  'ReadGPUJobLog',
  'GetGPUBudget',
  'ViewGPUCluster',
] as const

/** A request that the document permits, of a caller who may send it or not. */
export function validRequest(operation: ApiOperation, sources: Sources, random: Random): FuzzRequest {
  const { document, known, callers, host } = sources
  const parts = operation.path.split('/')
  const path = parts.map((part, at) => {
    const ids = idsFor(known, part === '{artifactId}' ? 'artifacts' : (parts[at - 1] ?? ''))
    return part.startsWith('{') ? encodeURIComponent(random.pickAny(ids) ?? 'none') : part
  })
  const given = operation.parameters.filter(({ required }) => required || random.chance(0.3))
  const exampleOf = (schema: (typeof given)[number]['schema']) => String(document.example(schema, random))
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => `${name}=${encodeURIComponent(exampleOf(schema))}`)
  const headers = given
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, schema }): [string, string] => [name, exampleOf(schema)])
  const { type, body } = validBody(operation, document, random)
  return {
    method: operation.method,
    path: path.join('/'),
    query,
    headers: [
      ['Host', host],
      ...callers.headersOf(random),
      ...headers,
      // The protocol for agents requires it.
      ['Accept', 'application/json, text/event-stream'],
      ...(type === undefined ? [] : [['Content-Type', type] as [string, string]]),
    ],
    body,
    ends: false,
    operation,
    changes: [],
  }
}

function validBody(
  { requestBody, operationId }: ApiOperation,
  document: ApiDocument,
  random: Random,
): { type?: string; body?: Buffer } {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined) return {}
  if (type === 'multipart/form-data') {
    const config = random.chance(0.5) ? configText() : waitingConfig
    return { type: formType, body: formBody(uploadParts('print(1)', config)) }
  }
  if (type !== 'application/json') return { type, body: Buffer.from('bytes') }
  const value =
    operationId === 'agents.message' ? agentMessage(random) : document.example(content?.schema ?? {}, random)
  return { type, body: Buffer.from(encodeJson(value)) }
}

/** A message of the Model Context Protocol, which the document describes only in outline. */
function agentMessage(random: Random): unknown {
  const call = {
    name: random.pick(agentTools),
    arguments: { job_id: 'x', name: 'fuzz', command: 'true', expected_time: 1, gpu_count: 0, limit: 3 },
  }
  const params = random.chance(0.7) ? call : {}
  return { jsonrpc: '2.0', id: 1, method: random.pick(['tools/call', 'tools/list', 'initialize']), params }
}

/** A request for something that is no operation. */
export function otherRequest(
  { callers, host }: Sources,
  random: Random,
  line: string = random.pick(otherPaths),
): FuzzRequest {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', ...query] = target.split(/[?&]/)
  const form = method === 'POST'
  return {
    method,
    path,
    query,
    headers: [
      ['Host', host],
      ...callers.headersOf(random),
      ...(form ? [['Content-Type', 'application/x-www-form-urlencoded'] as [string, string]] : []),
    ],
    body: form ? Buffer.from('csrfToken=x&login=a&password=b&json=true') : undefined,
    ends: false,
    operation: undefined,
    changes: ['other path'],
  }
}
