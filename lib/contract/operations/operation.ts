import * as z from 'zod'
import type { Scope } from '../access/roles'

/**
 * The callers that an operation accepts: anyone, a caller with a scope, an admin, or a caller with any token. `upload`
 * is `submit` with a token that may be inside the uploaded config. `anyone` is `read` for a caller with a session or a token, and also
 * serves callers without.
 */
export type Access = 'public' | 'anyone' | 'upload' | 'token' | Scope

export interface ResponseSpec {
  description: string
  /** Schema of a JSON body; absent if the response has no body, or a body of another type. */
  schema?: z.ZodType
  /** Schema of the items of a list in pages. The next page is in the `Link` header. */
  item?: z.ZodType
}

/** One operation of the API. Its route, its client method and its part of the OpenAPI document are derived from it. */
export interface Operation {
  /** `operationId`, and the name of the client's method: `jobs.list` is `client.jobs.list()`. */
  id: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: string
  tag: string
  summary: string
  access: Access
  query?: z.ZodType
  /** Descriptions of request headers. */
  headers?: Readonly<Record<string, string>>
  /** Schema of a JSON body. */
  body?: z.ZodType
  /** The request may have no body. */
  bodyOptional?: true
  /** Maximum size of a JSON body; default: 256 KiB. */
  maxBodyBytes?: number
  /** Schema of a multipart body. */
  upload?: z.ZodType
  /** Schema of a JSON body that can be sent instead of a multipart body. The handler reads it. */
  json?: z.ZodType
  /** Description of a body of plain bytes. */
  bytes?: string
  /**
   * Restricted tokens, those of classes and of agents, may call it. Every other operation refuses them. What the operation reads
   * must go through `job-visibility`, and the project that it submits to through `submission-project`.
   */
  restrictedTokens?: true
  /** Normal use needs many of these requests. They have a separate, higher rate limit. */
  frequent?: true
  /** By status. A handler that returns a plain value gets the lowest one. */
  responses: Readonly<Record<number, ResponseSpec>>
}

type Declared = Omit<Operation, 'id' | 'tag'>
type Details = Omit<Declared, 'method' | 'path' | 'access' | 'summary'>

const declare =
  <const Method extends Operation['method']>(method: Method) =>
  <const Path extends string, const Who extends Access, const More extends Details>(
    path: Path,
    access: Who,
    summary: string,
    details: More,
  ) => ({ method, path, access, summary, ...details })

export const get = declare('get')
export const post = declare('post')
export const put = declare('put')
export const patch = declare('patch')
export const remove = declare('delete')

type Defined<Operations, Group extends string> = {
  [Name in keyof Operations]: Operations[Name] & { id: `${Group}.${Name & string}`; tag: string }
}

/** Defines the operations of one group of the client, under one tag of the OpenAPI document. */
export function defineOperations<
  const Group extends string,
  const Operations extends Record<string, Declared>,
>(group: Group, tag: string, operations: Operations): Defined<Operations, Group> {
  const entries = Object.entries(operations).map(([name, operation]) => [
    name,
    { ...operation, id: `${group}.${name}`, tag },
  ])
  return Object.fromEntries(entries) as Defined<Operations, Group>
}

/** Responses of several operations. */
export const ok = <Schema extends z.ZodType>(schema: Schema) => ({ 200: { description: 'Done', schema } })
export const created = <Schema extends z.ZodType>(schema: Schema) => ({
  201: { description: 'Created', schema },
})
export const done = { 204: { description: 'Done' } }
export const file = (description: string) => ({ 200: { description } })
/** A file of which a request can ask for a part (RFC 9110, section 14). */
export const stored = (description: string) => ({
  200: { description },
  206: { description: 'The part that the header Range asks for' },
})
/** The headers of a request for a part of a file. */
export const rangeHeaders = {
  Range: 'a part of the file, for example "bytes=0-1023"; one that the file does not have: 416',
  'If-Range': 'the ETag of an earlier response; another file is sent whole',
}
export const list = <Item extends z.ZodType>(item: Item) => ({
  200: { description: 'An array; the Link header has the next page', schema: z.array(item), item },
})

type SchemaOf<Response> = Response extends { schema: infer Schema extends z.ZodType } ? Schema : never
type ResponsesOf<Op> = Op extends { responses: infer Responses } ? Responses[keyof Responses] : never

/** The JSON body of a response; `never` if no response has one. */
export type JsonOf<Op> = z.output<SchemaOf<ResponsesOf<Op>>>

/** An item of a list in pages; `never` if the operation returns no such list. */
export type ItemOf<Op> =
  ResponsesOf<Op> extends { item: infer Item extends z.ZodType } ? z.output<Item> : never

/** The names in a path such as `/api/jobs/{id}/artifacts/{artifactId}`. */
export type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never
