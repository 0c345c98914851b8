import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin, requireScope } from '../access/actor'
import { authenticate } from '../access/authenticate'
import { GpuqError } from '../contract/errors'
import { parseInput } from '../contract/parse-input'
import { internalError } from '../contract/problem'
import type { Scope } from '../contract/roles'
import { isDatabaseAway, isPoolBusy } from '../database/away'
import { logger } from '../logger'
import { StorageFault } from '../storage/store'
import { requireSameOrigin } from './origin'
import { problemResponse } from './problem'

/** How a route may be entered: by anyone, by a caller with a scope, by an admin, or with any token. */
export type Access = 'public' | 'upload' | 'token' | Scope

export interface RouteContext<Params> {
  request: Request
  url: URL
  params: Params
}

type Handler<Params, Who> = (context: RouteContext<Params> & { actor: Who }) => Promise<Response>
type NextContext<Params> = { params: Promise<Params> }
type NextHandler<Params> = (request: Request, context: NextContext<Params>) => Promise<Response>

/**
 * The one wrapper around every route handler: it authenticates, checks rights and origin, and turns every error into
 * problem+json. `upload` leaves a missing caller to the handler, because the token may be inside the upload. `token`
 * takes no session, and leaves the scope to the handler.
 */
export function route<Params = Record<never, never>>(
  access: 'public' | 'upload',
  handle: Handler<Params, Actor | null>,
): NextHandler<Params>
export function route<Params = Record<never, never>>(
  access: 'token' | Scope,
  handle: Handler<Params, Actor>,
): NextHandler<Params>
export function route<Params>(access: Access, handle: Handler<Params, never>): NextHandler<Params> {
  return async (request, context) => {
    try {
      const actor = access === 'public' ? null : await enter(request, access)
      return await handle({
        request,
        url: new URL(request.url),
        params: await context.params,
        actor: actor as never,
      })
    } catch (error) {
      return problemResponse(toGpuqError(error, request))
    }
  }
}

async function enter(request: Request, access: 'upload' | 'token' | Scope): Promise<Actor | null> {
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

const maxJsonBytes = 256 * 1024

/** Reads and parses a JSON body, of at most 256 KiB where nothing else is said. */
export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  maxBytes = maxJsonBytes,
): Promise<z.output<Schema>> {
  requireJson(request)
  return parseInput(schema, parseJson(await readBody(request, maxBytes)))
}

/** The same where all of it may be left out: no body at all is an empty object, whatever its type is said to be. */
export async function readOptionalJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const body = await readBody(request)
  if (body.length === 0) return parseInput(schema, {})
  requireJson(request)
  return parseInput(schema, parseJson(body))
}

function requireJson(request: Request): void {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new GpuqError(
    'unsupported_media_type',
    'Send JSON, with the header "Content-Type: application/json".',
  )
}

async function readBody(request: Request, maxBytes = maxJsonBytes): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new GpuqError(
        'payload_too_large',
        `The JSON body is larger than ${maxBytes / 1024} KiB. Send less at once.`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new GpuqError('invalid_request', 'The body is not valid JSON. Check quotes, commas and brackets.')
  }
}

/** Parses a URL's query against a schema. */
export function readQuery<Schema extends z.ZodType>(url: URL, schema: Schema): z.output<Schema> {
  return parseInput(schema, Object.fromEntries(url.searchParams))
}
