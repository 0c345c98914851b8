import { createHash } from 'node:crypto'
import { type FieldError, GpuqError, invalidField } from '../../contract/errors'
import type { Received } from '../../http/upload'
import { entryKeys } from '../contract-config'

/** What an upload asks for, if it is an entry. */
export interface EntryRequest {
  code: Buffer
  sourceHash: Buffer
  name: string | null
  tags: string[]
  args: string[]
  /** Null: the open one. */
  phase: string | null
  rehearse: boolean
  idempotencyKey: string | null
  /** SHA-256 of the request. */
  bodyHash: Buffer
  /** When the upload was complete, by `performance.now()`. */
  completedMs: number
}

const allowedKeys: readonly string[] = [...entryKeys, 'rehearse']

/**
 * Reads an upload as an entry.
 * @param isDryRun the program may be missing
 * @throws 422 for keys that the phase decides, for a directory, and without a program.
 */
export function toEntryRequest(
  { written, completedMs, request }: Pick<Received, 'written' | 'completedMs' | 'request'>,
  isDryRun = false,
): EntryRequest {
  const { code, config, directory, bodyHash, idempotencyKey } = request
  refuseKeys(
    config.competition_id,
    written.filter((key) => !allowedKeys.includes(key)),
  )
  const part = directory?.part ?? null
  if (part !== null)
    throw invalidField(
      part,
      'is a directory, and an entry is one program: send solution.py as -F "code=@solution.py"',
    )
  if (code.length === 0 && !isDryRun)
    throw invalidField(
      'code',
      'is missing: add -F "code=@solution.py"',
      'The part code is missing: add -F "code=@solution.py".',
    )
  return {
    code,
    sourceHash: createHash('sha256').update(code).digest(),
    name: config.name ?? null,
    tags: [...new Set(config.tags)],
    args: config.args,
    phase: config.phase ?? null,
    rehearse: config.rehearse ?? false,
    idempotencyKey,
    bodyHash,
    completedMs,
  }
}

/** The phase decides everything else, so a key that would have no effect is refused. All of them are named at once. */
function refuseKeys(competition: string, refused: readonly string[]): void {
  if (refused.length === 0) return
  const errors: FieldError[] = refused.map((path) => ({
    path,
    message: 'is decided by the phase of the competition: remove this key',
  }))
  const many = refused.length > 1
  throw new GpuqError(
    'invalid_fields',
    `An entry of "${competition}" has no ${refused.join(', ')}: the phase of the competition decides ${many ? 'them' : 'it'}. Remove ${many ? 'these keys' : 'this key'}. Allowed are ${allowedKeys.join(', ')}.`,
    { errors },
  )
}
