import { createHash } from 'node:crypto'
import { type Actor, requireOperation, requireScope } from '../access/actor'
import { actorFromToken, invalidToken } from '../access/authenticate'
import { DirectoryUpload } from '../archives/unpack/directory-upload'
import type { DirectoryPart } from '../archives/unpack/refuse-entry'
import { listEntries, storeUpload } from '../archives/unpack/store-upload'
import { type JobConfig, parseConfig } from '../contract/config/config'
import { selectEntrypoint } from '../contract/config/program/entrypoint'
import { type FieldError, GpuqError, invalidField, unauthenticated } from '../contract/errors'
import { jobOperations } from '../contract/operations/jobs'
import { database } from '../database/client'
import { requireCapabilities } from '../jobs/config/capabilities'
import type { Submission } from '../jobs/submission/insert-job'
import { withModelRequirements } from '../jobs/submission/model-requirements'
import { requireCanStart } from '../jobs/submission/never-fits'
import { idempotencyKeyOf } from './body'
import { readUpload, type UploadOptions } from './multipart'
import { missingParts, type UploadedPart } from './multipart-parts'
import { UnauthenticatedUploads } from './unauthenticated-uploads'
import { requireWriteRate } from './write-rate'

const unauthenticatedUploads = new UnauthenticatedUploads()

interface Received {
  actor: Actor
  submission: Submission
  /** A sentence about what of the upload is not sent to the job; left out: nothing. */
  notSent?: string | undefined
}

/**
 * Reads an upload and authenticates its sender by the header, the session, or the token in the config. They must
 * agree. The token does not leave this function.
 */
export async function receiveUpload(
  request: Request,
  caller: Actor | null,
  { timeoutMs, isDryRun = false }: Pick<UploadOptions, 'timeoutMs'> & { isDryRun?: boolean } = {},
): Promise<Received> {
  if (!caller)
    return unauthenticatedUploads.run(request.headers, (takeBytes) =>
      readSubmission(request, null, { timeoutMs, takeBytes }, isDryRun),
    )
  const directory = new DirectoryUpload(caller.userId)
  try {
    return await readSubmission(request, caller, { timeoutMs, directory }, isDryRun)
  } finally {
    await directory.close()
  }
}

async function readSubmission(
  request: Request,
  caller: Actor | null,
  options: UploadOptions,
  isDryRun: boolean,
): Promise<Received> {
  const idempotencyKey = idempotencyKeyOf(request)
  const { code, configFile, bodyHash } = await readUpload(request, options)
  const parsed = parseConfig(configFile.bytes.toString('utf8'))
  if (!parsed.ok) {
    throw new GpuqError('invalid_fields', describeErrors(parsed.errors), { errors: parsed.errors })
  }
  const { config, token } = parsed
  const { directory = null } = options
  const part = directory?.part ?? null
  requireOneProgram(code, config, part, isDryRun)
  const actor = await requireActor(caller, token)
  if (config.user_id !== undefined && config.user_id.toLowerCase() !== actor.handle.toLowerCase()) {
    throw new GpuqError('forbidden', 'Token does not belong to specified user_id')
  }
  await requireCapabilities(config)
  const submission = { code: code?.bytes ?? Buffer.alloc(0), runId: null, config, bodyHash, idempotencyKey }
  if (isDryRun && config.archive === undefined)
    return { actor, submission: await withoutDirectory(submission, options) }
  if (directory === null || part === null) return { actor, submission }
  // A directory is not stored for a job that can never start, with the GPUs that the job will ask for.
  await requireCanStart(database().pool, actor, await withModelRequirements(config))
  const named = code === null ? config : null
  const { archive, notSent } = await storeUpload(actor, config.project_id, directory, part, named)
  // The same files in another archive are the same submission.
  const wholeHash = createHash('sha256').update(bodyHash).update(archive).digest()
  const stored = { ...submission, config: { ...config, archive }, bodyHash: wholeHash }
  return { actor, submission: stored, notSent: notSent ?? undefined }
}

/** For a dry run: checks the directory of the upload and stores nothing. Without one, nothing is said about its files. */
async function withoutDirectory(
  submission: Submission,
  { directory = null }: UploadOptions,
): Promise<Submission> {
  const { config } = submission
  const { command, entrypoint } = config
  if (directory !== null && directory.part !== null) {
    const named = submission.code.length === 0 ? config : null
    const { files } = await listEntries(directory, directory.part, named)
    const paths = Array.from(files.values(), ({ path }) => path)
    const found = command === undefined ? selectEntrypoint(entrypoint, paths) : null
    if (found && 'problem' in found && named !== null) throw invalidField('entrypoint', found.problem)
  }
  return { ...submission, config: { ...config, entrypoint: undefined } }
}

/** A job runs an uploaded program, a file of its directory, or the command of its config. */
function requireOneProgram(
  code: UploadedPart | null,
  { command, archive }: JobConfig,
  part: DirectoryPart | null,
  isDryRun: boolean,
): void {
  if (part !== null && archive !== undefined) {
    const message = `the upload has a directory in the part ${part}: omit this key, or the part`
    throw invalidField('archive', message, `config_file: archive: ${message}`)
  }
  const hasDirectory = part !== null || archive !== undefined
  if (code === null && command === undefined && !hasDirectory && !isDryRun) throw missingParts(['code'])
  if (code === null || command === undefined) return
  const message =
    'a job runs one program: omit this key to run solution.py, or omit the part code to run the command'
  throw invalidField('command', message, `config_file: command: ${message}`)
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
