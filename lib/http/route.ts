import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin, requireOperation, requireScope } from '../access/actor'
import { authenticate } from '../access/authenticate'
import type { Scope } from '../contract/access/roles'
import {
  clientLeft,
  GpuqError,
  internalError,
  notFound,
  unauthenticated,
  unavailable,
} from '../contract/errors'
import type { Access, ItemOf, JsonOf, Operation, PathNames } from '../contract/operations/operation'
import { parseInput } from '../contract/parse-input'
import { isDatabaseAway, isPoolBusy } from '../database/away'
import type { Page } from '../database/pagination'
import { logSampled } from '../logger'
import { StorageFault } from '../storage/store'
import { readJson } from './body'
import { isSafeMethod, requireSameOrigin } from './origin'
import { pageResponse } from './pagination'
import { problemResponse } from './problem'
import { requireWriteRate } from './write-rate'

const tokenHeaders = '"Authorization: Bearer YOUR_TOKEN" or "X-Auth-Token: YOUR_TOKEN"'
const maxPublicBytes = 16 * 1024

/** What a route serves: an operation, or only an access if the route is not part of the API. */
type Served = Pick<Operation, 'access'> & Partial<Operation>

type SentParams = Readonly<Record<string, string | string[]>>
type Params<Op> = Op extends { path: infer Path } ? { [Name in PathNames<Path>]: string } : SentParams
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type QueryOf<Op> = Op extends { query: infer Schema } ? Parsed<Schema> : undefined
type BodyOf<Op> = Op extends { body: infer Schema } ? Parsed<Schema> : undefined
type ActorOf<Op extends Served> = Op['access'] extends 'public' | 'anyone' | 'upload' ? Actor | null : Actor

interface Answer {
  status?: number
  headers?: Record<string, string>
}

interface Context<Op extends Served> {
  actor: ActorOf<Op>
  request: Request
  url: URL
  params: Params<Op>
  query: QueryOf<Op>
  /** Reads and parses the body. Call it after the check that the caller may see the object. */
  body: () => Promise<BodyOf<Op>>
  /** A JSON response with another status or other headers than usual. */
  answer: (value: JsonOf<Op>, init: Answer) => Response
}

type ValueOf<Op> = [ItemOf<Op>] extends [never] ? JsonOf<Op> : Page<ItemOf<Op>>
/** A page of a list, a JSON value, nothing, or a complete response. */
type Result<Op> =
  | (Response | ValueOf<Op>)
  | Promise<Response | ValueOf<Op>>
  | (Op extends { responses: { 204: unknown } } ? Promise<void> : never)

type Handler<Op extends Served> = (context: Context<Op>) => Result<Op>

/** A handler that `route` has made. Whoever calls it has found the path, and with it the parameters. */
export type ApiHandler = (request: Request, context: { params: Promise<SentParams> }) => Promise<Response>

/** The handler of an operation. */
export type ApiRoute<Op = Operation> = ApiHandler & { operation: Op }

/**
 * The one wrapper around every route handler: it authenticates, checks rights and origin, parses the query, creates the
 * response, and turns every error into problem+json. With `upload`, the handler checks a missing caller, because the
 * token may be inside the upload. With `anyone`, the handler decides what a missing caller may see. `token` accepts no session; the handler checks the scope.
 */
export function route<const Op extends Served>(operation: Op, handle: Handler<Op>): ApiRoute<Op> {
  const { access, query, body, responses = {} }: Served = operation
  // An unauthenticated client must not occupy much memory.
  const maxBodyBytes =
    operation.maxBodyBytes ?? (access === 'public' || access === 'anyone' ? maxPublicBytes : undefined)
  const status = Number(Object.keys(responses)[0] ?? 200)
  const paged = responses[200]?.item !== undefined
  const serve: ApiHandler = async (request, context) => {
    try {
      const params = await context.params
      requirePlain(params)
      const actor = access === 'public' ? null : await enter(request, access, operation)
      const url = new URL(request.url)
      const result = await handle({
        actor: actor as ActorOf<Op>,
        request,
        url,
        params: params as Params<Op>,
        query: (query && parseInput(query, readQuery(url))) as QueryOf<Op>,
        body: async () =>
          (body && (await readJson(request, body, { ...operation, maxBodyBytes }))) as BodyOf<Op>,
        answer: (value, init) => answerJson(value, { status, ...init }),
      })
      if (result instanceof Response) return request.method === 'HEAD' ? await withoutBody(result) : result
      if (result === undefined) return new Response(null, { status: 204 })
      return paged ? pageResponse(request, result as Page<unknown>) : answerJson(result, { status })
    } catch (error) {
      return problemResponse(toGpuqError(error, request, operation))
    }
  }
  return Object.assign(serve, { operation })
}

/** The answer to HEAD. What the body would be read from is closed: nobody reads it. */
async function withoutBody(answer: Response): Promise<Response> {
  await answer.body?.cancel()
  return new Response(null, answer)
}

/** @throws 404 for the character NUL, which PostgreSQL refuses in every text: nothing has such a name. */
function requirePlain(params: SentParams): void {
  if (
    Object.values(params)
      .flat()
      .some((value) => value.includes('\0'))
  )
    throw notFound('There is nothing at this address: it contains the character NUL.')
}

/** The query parameters. @throws 422 for the character NUL, which PostgreSQL refuses in every text. */
function readQuery({ searchParams }: URL): Record<string, string> {
  const values = Object.fromEntries(searchParams)
  const wrong = Object.keys(values).find((name) => values[name]?.includes('\0'))
  if (wrong !== undefined) {
    const message = 'must not contain the character NUL'
    throw new GpuqError('invalid_fields', `${wrong}: ${message}`, { errors: [{ path: wrong, message }] })
  }
  return values
}

/** A response is for one caller at one moment, so no cache may keep it. */
function answerJson(value: unknown, { status = 200, headers }: Answer): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

async function enter(
  request: Request,
  access: Exclude<Access, 'public'>,
  operation: Served,
): Promise<Actor | null> {
  const actor = await authenticate(request)
  if (!actor && (access === 'upload' || access === 'anyone')) return null
  if (actor?.via === 'session') requireSameOrigin(request)
  if (!actor || (access === 'token' && actor.via !== 'token')) {
    throw unauthenticated(
      access === 'token'
        ? `Send a token as ${tokenHeaders}. Create one on the page Tokens.`
        : `Sign in, or send a token as ${tokenHeaders}.`,
    )
  }
  if (!isSafeMethod(request.method)) requireWriteRate(actor, operation)
  requireOperation(actor, operation)
  if (access === 'token') return actor
  if (access === 'admin') requireAdmin(actor)
  else requireScope(actor, scopeOf(access))
  return actor
}

/** The scope that a token needs. */
function scopeOf(access: Exclude<Access, 'public' | 'token'>): Scope {
  if (access === 'upload') return 'submit'
  return access === 'anyone' ? 'read' : access
}

function toGpuqError(error: unknown, request: Request, { id, path }: Served): GpuqError {
  if (error instanceof GpuqError) return error
  const left = clientLeft(error, request.signal)
  if (left) return left
  // The token of a link is a secret, and no secret is in the log.
  const asked = {
    method: request.method,
    path: path?.includes('{token}') ? path : new URL(request.url).pathname,
  }
  if (isPoolBusy(error)) {
    logSampled(
      'warn',
      asked,
      'no database connection became free in time; GPUQ_DATABASE_CONNECTIONS sets their number',
      id,
    )
    return unavailable('gpuq is busy at the moment. Try again in a few seconds.', 5)
  }
  const reference = uuidv7()
  logSampled('error', { err: error, reference, ...asked }, 'request failed', id)
  const next = `If this continues, tell your admin this reference: ${reference}`
  // The details of a storage fault may name a bucket, so they are only in the log.
  if (error instanceof StorageFault)
    return unavailable(`gpuq cannot reach its stored files at the moment. Try again in a minute. ${next}`, 60)
  if (isDatabaseAway(error))
    return unavailable(`gpuq cannot reach its database at the moment. Try again in a few seconds. ${next}`, 5)
  return internalError(reference)
}
