import { type Actor, requireOperation, requireScope } from '../access/actor'
import { actorFromToken, invalidToken } from '../access/authenticate'
import { DirectoryUpload } from '../archives/unpack/directory-upload'
import { type ConfigAs, type ConfigLimits, type ConfigSchema, parseConfigAs } from '../contract/config/config'
import { configSchema } from '../contract/config/schema'
import { type FieldError, GpuqError, unauthenticated } from '../contract/errors'
import { jobOperations } from '../contract/operations/jobs'
import type { JobRequest } from '../jobs/submission/check-request'
import { idempotencyKeyOf } from './body'
import { readUpload, type UploadOptions } from './multipart'
import { UnauthenticatedUploads } from './unauthenticated-uploads'
import { requireWriteRate } from './write-rate'

const unauthenticatedUploads = new UnauthenticatedUploads()

export interface Received<Schema extends ConfigSchema = typeof configSchema> {
  actor: Actor
  /** The keys that the config has, without those that only have a default. */
  written: readonly string[]
  /** When the upload was complete, by `performance.now()`. */
  completedMs: number
  request: Omit<JobRequest, 'config'> & { config: ConfigAs<Schema> }
}

interface ReceiveOptions extends Pick<UploadOptions, 'timeoutMs'> {
  configLimits?: ConfigLimits | undefined
}

type Use<Schema extends ConfigSchema, Result> = (received: Received<Schema>) => Promise<Result>

/**
 * Reads an upload, authenticates its sender by the header, the session, or the token in the config, which must agree, and uses it. Its files
 * are deleted after that. The token does not leave this function.
 */
export function receiveUpload<Result>(
  request: Request,
  caller: Actor | null,
  use: Use<typeof configSchema, Result>,
  options: Pick<UploadOptions, 'timeoutMs'> = {},
): Promise<Result> {
  return receiveUploadAs(configSchema, request, caller, use, options)
}

/** The same for a config with more keys. It may be longer than that of a job, but not before its sender is known. */
export async function receiveUploadAs<Schema extends ConfigSchema, Result>(
  schema: Schema,
  request: Request,
  caller: Actor | null,
  use: Use<Schema, Result>,
  { timeoutMs, configLimits }: ReceiveOptions = {},
): Promise<Result> {
  if (!caller) {
    const received = await unauthenticatedUploads.run(request.headers, (takeBytes) =>
      readSubmission(schema, request, null, { timeoutMs, takeBytes }),
    )
    return use(received)
  }
  const directory = new DirectoryUpload(caller.userId)
  try {
    return await use(await readSubmission(schema, request, caller, { timeoutMs, directory, configLimits }))
  } finally {
    await directory.close()
  }
}

async function readSubmission<Schema extends ConfigSchema>(
  schema: Schema,
  request: Request,
  caller: Actor | null,
  options: UploadOptions & ReceiveOptions,
): Promise<Received<Schema>> {
  const idempotencyKey = idempotencyKeyOf(request)
  const { code, configFile, bodyHash } = await readUpload(request, options)
  const completedMs = performance.now()
  const parsed = parseConfigAs(schema, configFile.bytes.toString('utf8'), options.configLimits)
  if (!parsed.ok) {
    throw new GpuqError('invalid_fields', describeErrors(parsed.errors), { errors: parsed.errors })
  }
  const { config, token, written } = parsed
  const actor = await requireActor(caller, token)
  const submission = { code: code?.bytes ?? Buffer.alloc(0), runId: null, config, bodyHash, idempotencyKey }
  return { actor, written, completedMs, request: { ...submission, directory: options.directory ?? null } }
}

/** The first mistake as a sentence with its place, and how many more there are. */
function describeErrors([first, ...more]: FieldError[]): string {
  if (!first) return 'config_file: gpuq cannot read it'
  const key = first.path === 'config_file' ? '' : `${first.path}: `
  const place = first.line === undefined ? '' : `, line ${first.line}`
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  return `config_file${place}: ${key}${first.message}${rest}`
}

async function requireActor(caller: Actor | null, token: string | null): Promise<Actor> {
  if (token === null) {
    if (caller) return caller
    throw unauthenticated(
      'Send your token: as the header "Authorization: Bearer YOUR_TOKEN", or as "token" in the config.',
    )
  }
  const owner = await actorFromToken(token)
  if (!owner) throw invalidToken()
  if (
    caller &&
    (caller.userId !== owner.userId || (caller.via === 'token' && caller.tokenId !== owner.tokenId))
  ) {
    throw new GpuqError(
      'unauthenticated',
      'The token in the config belongs to another sign-in than the request. Send only one of them.',
    )
  }
  const actor = caller ?? owner
  // `route` has counted a caller that it knew.
  if (!caller) requireWriteRate(actor, {})
  requireOperation(actor, jobOperations.submit)
  requireScope(actor, 'submit')
  return actor
}
