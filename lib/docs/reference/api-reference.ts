import { openapiDocument } from '../../http/openapi'
import { type Field, placeholder, SchemaDescriber } from './describe-schema'
import { type DocumentedOperation, openapiSchema, type Schema } from './openapi-schema'
import { type ExampleRequest, type RequestExamples, requestExamples } from './request-examples'

interface ResponseReference {
  status: string
  description: string
  /** The type of a JSON body; null if there is none. */
  type: string | null
  fields: Field[]
}

/** An operation as the reference shows it. */
export interface OperationReference {
  id: string
  method: string
  path: string
  summary: string
  /** The callers that the operation accepts. */
  access: string
  parameters: (Field & { in: 'path' | 'query' | 'header' })[]
  body: { type: string; description: string; fields: Field[] } | null
  responses: ResponseReference[]
  examples: RequestExamples
}

interface ReferenceGroup {
  /** The address: `/docs/api/SLUG`. */
  slug: string
  title: string
  description: string
  operations: OperationReference[]
}

/** The tags of the OpenAPI document, in the order of reading. */
const groups = [
  { slug: 'jobs', title: 'Jobs', description: 'Submit, follow and cancel jobs, and read what they wrote.' },
  {
    slug: 'groups',
    title: 'Groups',
    description: 'Many jobs of one program: sweeps of parameters and arrays.',
  },
  {
    slug: 'experiments',
    title: 'Experiments',
    description: 'Which job or group follows which, and with what hypothesis.',
  },
  {
    slug: 'competitions',
    title: 'Competitions',
    description: 'Competitions, who takes part, entries and leaderboards.',
  },
  { slug: 'queue', title: 'Queue', description: 'The queue, its policy, and what models need.' },
  {
    slug: 'directories',
    title: 'Directories',
    description: 'Upload directories, and keep versions of them.',
  },
  { slug: 'cluster', title: 'Cluster', description: 'Nodes, GPUs and Slurm.' },
  {
    slug: 'access',
    title: 'Accounts and projects',
    description: 'Users, tokens, sessions, projects, limits, environments, buckets and the audit log.',
  },
  {
    slug: 'accounting',
    title: 'Accounting',
    description: 'What jobs used, by user, project, competition and week.',
  },
  { slug: 'storage', title: 'Storage', description: 'What is stored, and how to delete it.' },
  { slug: 'agents', title: 'Agents', description: 'The server for the Model Context Protocol.' },
  {
    slug: 'operations',
    title: 'Server',
    description: 'The state of the server, its clients and this document.',
  },
]

let read: { origin: string; reference: ReferenceGroup[] } | undefined

/** Every operation of the API by its group. The examples contain the address of the server. */
export function apiReference(origin: string): readonly ReferenceGroup[] {
  if (read?.origin !== origin) read = { origin, reference: describeReference(origin) }
  return read.reference
}

function describeReference(origin: string): ReferenceGroup[] {
  const { paths, components } = openapiSchema.parse(openapiDocument(origin))
  const schemas = new SchemaDescriber(components.schemas)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      reference: describeOperation({ origin, path, method: method.toUpperCase(), operation, schemas }),
    })),
  )
  return groups.map((group) => ({
    ...group,
    operations: operations.filter(({ tag }) => tag === group.slug).map(({ reference }) => reference),
  }))
}

interface Described {
  origin: string
  path: string
  method: string
  operation: DocumentedOperation
  schemas: SchemaDescriber
}

function describeOperation(described: Described): OperationReference {
  const { path, method, operation, schemas } = described
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const [content] = Object.entries(requestBody?.content ?? {})
  return {
    id: operationId,
    method,
    path,
    summary,
    access: description ?? 'Needs no token.',
    parameters: parameters.map((parameter) => ({
      ...schemas.field(
        parameter.name,
        parameter.schema,
        parameter.required,
        parameter.description ?? parameter.schema.description,
      ),
      in: parameter.in,
    })),
    body: content
      ? {
          type: content[0],
          description: requestBody?.description ?? '',
          fields: content[1].schema ? schemas.fields(content[1].schema) : [],
        }
      : null,
    responses: Object.entries(responses)
      .filter(([status]) => status !== 'default')
      .map(([status, response]) => {
        const schema = response.content?.['application/json']?.schema
        return {
          status,
          description: response.description,
          type: schema ? schemas.type(schema) : null,
          fields: schema ? schemas.fields(schema) : [],
        }
      }),
    examples: requestExamples(toExample(described)),
  }
}

function toExample({ origin, path, method, operation, schemas }: Described): ExampleRequest {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => placeholder(name))
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(schemas.example(schema, name)))}`)
  const responses = Object.values(operation.responses)
  return {
    method,
    url: `${origin}${address}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    authorized: operation.security?.length !== 0,
    body: toBody(operation, schemas),
    json: responses.some(({ content }) => content?.['application/json'] !== undefined),
  }
}

/** The names of the files in examples, by the type of their content. */
const fileNames: Readonly<Record<string, string>> = {
  'text/x-python': 'solution.py',
  'application/yaml': 'config.yaml',
}

function toBody({ requestBody }: DocumentedOperation, schemas: SchemaDescriber): ExampleRequest['body'] {
  const [content] = Object.entries(requestBody?.content ?? {})
  if (!content) return { kind: 'none' }
  const [type, { schema }] = content
  if (type === 'application/octet-stream' || !schema) return { kind: 'bytes' }
  if (type === 'application/json') return { kind: 'json', value: schemas.example(schema) }
  return { kind: 'files', files: toFiles(schemas.resolve(schema)) }
}

function toFiles({ properties = {} }: Schema): { part: string; name: string }[] {
  return Object.entries(properties).flatMap(([part, { contentMediaType = '' }]) => {
    const name = fileNames[contentMediaType]
    return name === undefined ? [] : [{ part, name }]
  })
}
