import { z } from 'zod'
import type { Operation } from './operation'
import { openapiOperations } from './operations'

type Json = Record<string, unknown>

const problem = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'the sentence a person reads' },
    code: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          line: { type: 'integer' },
          column: { type: 'integer' },
        },
      },
    },
  },
} as const

/** The OpenAPI 3.1 document of this server. */
export function openapiDocument(serverUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const operation of openapiOperations) {
    const path = paths[operation.path] ?? {}
    path[operation.method] = describeOperation(operation)
    paths[operation.path] = path
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'gpuq',
      version: '0.1.0',
      description: 'A GPU job queue. Errors are application/problem+json (RFC 9457).',
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { header: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        header: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      },
      schemas: { Problem: problem },
    },
    paths,
  }
}

function describeOperation(operation: Operation): Json {
  const { summary, tag, query, body, bodyOptional, upload, bytes, answers, access } = operation
  return {
    summary,
    tags: [tag],
    ...(access === 'public' ? { security: [] } : { description: describeAccess(access) }),
    parameters: [
      ...pathParameters(operation.path),
      ...(query ? queryParameters(query) : []),
      ...(operation.headers ?? []).map(headerParameter),
    ],
    ...(body
      ? {
          requestBody: {
            required: !bodyOptional,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }
      : {}),
    ...(upload
      ? { requestBody: { required: true, content: { 'multipart/form-data': { schema: upload } } } }
      : {}),
    ...(bytes
      ? {
          requestBody: {
            required: true,
            description: bytes,
            content: { 'application/octet-stream': {} },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, schema }]) => [
          status,
          {
            description,
            ...(schema ? { content: { 'application/json': { schema: schemaOf(schema, 'output') } } } : {}),
          },
        ]),
      ),
      default: {
        description: 'An error',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

function describeAccess(access: Exclude<Operation['access'], 'public'>): string {
  return access === 'token'
    ? 'Needs a token; what is asked for says which scope.'
    : `Needs the scope \`${access}\`.`
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters(query: z.ZodType): Json[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))
}

function headerParameter({ name, description }: { name: string; description: string }): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } }
}
