import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin, requireScope } from '../access/actor'
import { authenticate } from '../access/authenticate'
import { GpuqError } from '../contract/errors'
import type { Access, ItemOf, JsonOf, Operation, PathNames } from '../contract/operations/operation'
import { parseInput } from '../contract/parse-input'
import { internalError } from '../contract/problem'
import { isDatabaseAway, isPoolBusy } from '../database/away'
import type { Page } from '../database/pagination'
import { logger } from '../logger'
import { StorageFault } from '../storage/store'
import { readJson } from './body'
import { requireSameOrigin } from './origin'
import { pageResponse } from './pagination'
import { problemResponse } from './problem'

/** What a route serves: an operation, or an access alone where it is no part of the API. */
type Served = Pick<Operation, 'access'> & Partial<Operation>

type Params<Op> = Op extends { path: infer Path }
  ? { [Name in PathNames<Path>]: string }
  : Record<string, string | string[]>
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type QueryOf<Op> = Op extends { query: infer Schema } ? Parsed<Schema> : undefined
type BodyOf<Op> = Op extends { body: infer Schema } ? Parsed<Schema> : undefined
type ActorOf<Op extends Served> = Op['access'] extends 'public' | 'upload' ? Actor | null : Actor

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
  /** Reads and parses the body: after the handler has checked that the caller may know of what it changes. */
  body: () => Promise<BodyOf<Op>>
  /** Answers with JSON where the status or headers are not the usual ones. */
  answer: (value: JsonOf<Op>, init: Answer) => Response
}

type ValueOf<Op> = [ItemOf<Op>] extends [never] ? JsonOf<Op> : Page<ItemOf<Op>>
/** A list in pages, a JSON value, nothing, or a whole response. */
type Result<Op> =
  | (Response | ValueOf<Op>)
  | Promise<Response | ValueOf<Op>>
  | (Op extends { responses: { 204: unknown } } ? Promise<void> : never)

type Handler<Op extends Served> = (context: Context<Op>) => Result<Op>
type NextHandler<Op> = (request: Request, context: { params: Promise<Params<Op>> }) => Promise<Response>

/**
 * The one wrapper around every route handler: it authenticates, checks rights and origin, parses the query, makes the
 * response, and turns every error into problem+json. `upload` leaves a missing caller to the handler, because the token
 * may be inside the upload. `token` takes no session, and leaves the scope to the handler.
 */
export function route<const Op extends Served>(
  operation: Op,
  handle: Handler<Op>,
): NextHandler<Op> & { operation: Op } {
  const { access, query, body, responses = {} }: Served = operation
  const status = Number(Object.keys(responses)[0] ?? 200)
  const paged = responses[200]?.item !== undefined
  const serve: NextHandler<Op> = async (request, context) => {
    try {
      const actor = access === 'public' ? null : await enter(request, access)
      const url = new URL(request.url)
      const result = await handle({
        actor: actor as ActorOf<Op>,
        request,
        url,
        params: await context.params,
        query: (query && parseInput(query, Object.fromEntries(url.searchParams))) as QueryOf<Op>,
        body: async () => (body && (await readJson(request, body, operation))) as BodyOf<Op>,
        answer: (value, init) => answerJson(value, { status, ...init }),
      })
      if (result instanceof Response) return result
      if (result === undefined) return new Response(null, { status: 204 })
      return paged ? pageResponse(request, result as Page<unknown>) : answerJson(result, { status })
    } catch (error) {
      return problemResponse(toGpuqError(error, request))
    }
  }
  return Object.assign(serve, { operation })
}

/** What gpuq answers belongs to one caller and one moment: no cache keeps it. */
function answerJson(value: unknown, { status = 200, headers }: Answer): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

async function enter(request: Request, access: Exclude<Access, 'public'>): Promise<Actor | null> {
  const actor = await authenticate(request)
  if (!actor && access === 'upload') return null
  if (actor?.via === 'session') requireSameOrigin(request)
  if (!actor || (access === 'token' && actor.via !== 'token')) {
    throw new GpuqError(
      'unauthenticated',
      access === 'token'
        ? 'Send a token as "Authorization: Bearer YOUR_TOKEN". Make one under Tokens.'
        : 'Sign in, or send a token as "Authorization: Bearer YOUR_TOKEN".',
      {
        headers: { 'www-authenticate': 'Bearer realm="gpuq"' },
      },
    )
  }
  if (access === 'token') return actor
  if (access === 'admin') requireAdmin(actor)
  else requireScope(actor, access === 'upload' ? 'submit' : access)
  return actor
}

function toGpuqError(error: unknown, request: Request): GpuqError {
  if (error instanceof GpuqError) return error
  const asked = { method: request.method, path: new URL(request.url).pathname }
  if (isPoolBusy(error)) {
    logger.warn(
      asked,
      'no database connection was free in time; GPUQ_DATABASE_CONNECTIONS says how many there are',
    )
    return busyError()
  }
  const reference = uuidv7()
  logger.error({ err: error, reference, ...asked }, 'request failed')
  if (error instanceof StorageFault) return storageError(reference)
  if (isDatabaseAway(error)) return databaseError(reference)
  return internalError(reference)
}

/** More is asked at once than there are connections for: nothing is wrong, and it passes. */
function busyError(): GpuqError {
  return new GpuqError(
    'unavailable',
    'gpuq has more to do at the moment than it can do at once. Try again in a few seconds.',
    { headers: { 'retry-after': '5' } },
  )
}

/** Being restarted, most times. What was asked for may have been done before the connection broke. */
function databaseError(reference: string): GpuqError {
  return new GpuqError(
    'unavailable',
    `gpuq's database does not answer at the moment. Try again in a few seconds; if it goes on, tell an admin: ${reference}.`,
    { headers: { 'retry-after': '5' } },
  )
}

/** What the store says is for admins, and in the log: it may name a bucket. */
function storageError(reference: string): GpuqError {
  return new GpuqError(
    'unavailable',
    `Stored files cannot be reached at the moment. Try again in a minute; if it goes on, tell an admin: ${reference}.`,
    { headers: { 'retry-after': '60' } },
  )
}
