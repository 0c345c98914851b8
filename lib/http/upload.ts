import { type Actor, requireScope } from '../access/actor'
import { actorFromToken, invalidToken } from '../access/authenticate'
import { type JobConfig, parseConfig } from '../contract/config/config'
import { type FieldError, GpuqError } from '../contract/errors'
import { requireCapabilities } from '../jobs/config/capabilities'
import type { Submission } from '../jobs/submission/submit'
import { idempotencyKeyOf } from './idempotency-key'
import { readUpload } from './multipart'
import { missingParts, type UploadedPart } from './multipart-parts'

const maxPartBytes = 1024 * 1024
const uploadTimeoutMs = 60_000

/**
 * Reads an upload and settles who sends it: the header, the session, or the config's own token. What they say must
 * agree. The token goes no further than this function.
 */
export async function receiveUpload(
  request: Request,
  caller: Actor | null,
): Promise<{ actor: Actor; submission: Submission }> {
  const idempotencyKey = idempotencyKeyOf(request)
  const { code, configFile, bodyHash } = await readUpload(request, {
    maxPartBytes,
    timeoutMs: uploadTimeoutMs,
  })
  const parsed = parseConfig(configFile.bytes.toString('utf8'))
  if (!parsed.ok) {
    throw new GpuqError('invalid_fields', describeErrors(parsed.errors), { errors: parsed.errors })
  }
  const { config, token } = parsed
  requireOneProgram(code, config)
  const actor = await settleActor(caller, token)
  if (config.user_id !== undefined && config.user_id.toLowerCase() !== actor.handle.toLowerCase()) {
    throw new GpuqError('forbidden', 'Token does not belong to specified user_id')
  }
  requireCapabilities(config)
  return {
    actor,
    submission: {
      code: code?.bytes ?? Buffer.alloc(0),
      runId: null,
      config,
      bodyHash,
      idempotencyKey,
    },
  }
}

/** A job runs an uploaded program or its config's command. */
function requireOneProgram(code: UploadedPart | null, { command }: JobConfig): void {
  if (code === null && command === undefined) throw missingParts(['code'])
  if (code === null || command === undefined) return
  const message =
    'a job runs one program: leave out this key to run solution.py, or the part code to run the command'
  throw new GpuqError('invalid_fields', `config_file: command: ${message}`, {
    errors: [{ path: 'command', message }],
  })
}

/** The first mistake as a sentence with its place, and how many more there are. */
function describeErrors([first, ...more]: FieldError[]): string {
  if (!first) return 'config_file: it cannot be read'
  const key = first.path === 'config_file' ? '' : `${first.path}: `
  const place = first.line === undefined ? '' : `, line ${first.line}`
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  return `config_file${place}: ${key}${first.message}${rest}`
}

async function settleActor(caller: Actor | null, token: string | null): Promise<Actor> {
  if (token === null) {
    if (caller) return caller
    throw new GpuqError(
      'unauthenticated',
      'Send your token: as the header "Authorization: Bearer YOUR_TOKEN", or as "token" in the config.',
      { headers: { 'www-authenticate': 'Bearer realm="gpuq"' } },
    )
  }
  const named = await actorFromToken(token)
  if (!named) throw invalidToken()
  if (
    caller &&
    (caller.userId !== named.userId || (caller.via === 'token' && caller.tokenId !== named.tokenId))
  ) {
    throw new GpuqError(
      'unauthenticated',
      'The token in the config is not the one you are signed in with. Leave one of them out.',
    )
  }
  const actor = caller ?? named
  requireScope(actor, 'submit')
  return actor
}
