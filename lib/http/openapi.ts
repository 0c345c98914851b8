import { z } from 'zod'
import { version } from '../../package.json'
import * as access from '../contract/access/access'
import * as environments from '../contract/access/environments'
import * as projects from '../contract/access/projects'
import * as storage from '../contract/access/storage'
import * as archives from '../contract/archives/archives'
import * as changes from '../contract/archives/changes'
import * as cluster from '../contract/cluster/cluster'
import * as engine from '../contract/cluster/engine'
import * as policy from '../contract/cluster/policy'
import * as jobBucket from '../contract/job-bucket'
import * as jobFiles from '../contract/job-files'
import * as jobQueries from '../contract/job-queries'
import * as jobs from '../contract/jobs'
import type { Access, Operation, ResponseSpec } from '../contract/operations/operation'
import { allOperations, namedContracts } from '../contract/operations/operations'
import * as problems from '../contract/operations/problem'
import * as queue from '../contract/queue'

const tokens = [{ bearer: [] }, { header: [] }]

type Json = Record<string, unknown>

/** A schema that a contract exports as `jobDetailSchema` is the component `JobDetail`. */
for (const contract of [
  access,
  archives,
  changes,
  cluster,
  engine,
  environments,
  problems,
  jobBucket,
  jobFiles,
  jobQueries,
  jobs,
  policy,
  projects,
  queue,
  storage,
  ...namedContracts,
]) {
  for (const [name, schema] of Object.entries(contract)) {
    if (!(schema instanceof z.ZodObject || schema instanceof z.ZodUnion)) continue
    const id = name.charAt(0).toUpperCase() + name.slice(1).replace(/Schema$/, '')
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id })
  }
}

let described: Json | undefined

/** The OpenAPI 3.1 document of this server, made from the operations that its routes and client are made from. */
export function openapiDocument(serverUrl: string): Json {
  described ??= describeApi()
  return { ...described, servers: [{ url: serverUrl }] }
}

function describeApi(): Json {
  const schemas = new ComponentSchemas()
  const problem = {
    'application/problem+json': { schema: schemas.describe(problems.problemSchema, 'input') },
  }
  const paths: Record<string, Json> = {}
  for (const operation of allOperations) {
    const described = describeOperation(operation, schemas, problem)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'gpuq',
      version,
      description:
        'A GPU job queue. Errors are application/problem+json (RFC 9457). In a JSON body, null counts as left out, unless the field says what null means.',
    },
    security: tokens,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        header: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      },
      schemas: schemas.components,
    },
    paths,
  }
}

/** Turns schemas into JSON Schema. Named ones become components, and references to them. */
class ComponentSchemas {
  readonly components: Json = {}

  describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    // A named schema that is the root is no reference: the root here is none.
    const whole = z.toJSONSchema(z.object({ schema }), { io, unrepresentable: 'any' })
    const { properties, $defs = {} } = JSON.parse(
      JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/'),
    )
    for (const [name, component] of Object.entries($defs)) {
      const known = this.components[name]
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
        throw new Error(`${name} differs between requests and responses: give each its own schema`)
      this.components[name] = component
    }
    return properties.schema
  }
}

function describeOperation(operation: Operation, schemas: ComponentSchemas, problem: Json): Json {
  const { id, summary, tag, query, headers = {}, access, restrictedTokens } = operation
  const requestBody = describeBody(operation, schemas)
  const describeResponse = ({ description, schema }: ResponseSpec) => ({
    description,
    ...(schema && { content: { 'application/json': { schema: schemas.describe(schema, 'output') } } }),
  })
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    describeResponse(response),
  ])
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(access === 'public' && { security: [] }),
    ...(access === 'anyone' && { security: [{}, ...tokens] }),
    ...(access !== 'public' && { description: describeAccess(access, restrictedTokens) }),
    parameters: [
      ...[...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(query instanceof z.ZodObject ? describeQuery(query, schemas) : []),
      ...Object.entries(headers).map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: 'An error', content: problem },
    },
  }
}

function describeBody(
  { body, bodyOptional, upload, json = body, bytes }: Operation,
  schemas: ComponentSchemas,
): Json | null {
  if (bytes) return { required: true, description: bytes, content: { 'application/octet-stream': {} } }
  const kinds = { 'multipart/form-data': upload, 'application/json': json }
  const content = Object.entries(kinds).flatMap(([type, schema]) =>
    schema ? [[type, { schema: schemas.describe(schema, 'input') }]] : [],
  )
  return content.length > 0 ? { required: !bodyOptional, content: Object.fromEntries(content) } : null
}

function describeQuery(query: z.ZodObject, schemas: ComponentSchemas): Json[] {
  return Object.entries(query.shape).map(([name, field]) => ({
    name,
    in: 'query',
    required: !field.safeParse(undefined).success,
    schema: schemas.describe(field, 'input'),
  }))
}

function describeAccess(access: Exclude<Access, 'public'>, restrictedTokens = false): string {
  if (access === 'anyone')
    return 'Needs no login if everybody may see the object. A token needs the scope `read`.'
  if (access === 'token') return 'Needs a token; what is asked for says which scope.'
  const restricted = restrictedTokens ? ' A token of a class or of an agent may call it.' : ''
  return `Needs the scope \`${access === 'upload' ? 'submit' : access}\`.${restricted}`
}
