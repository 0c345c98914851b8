import { ArchiveProblem, EntryProblem } from '../../contract/archives/unpack/packed-entry'
import { GpuqError, invalidField } from '../../contract/errors'
import { visibleText } from '../../contract/text/sanitize-text'

/** The part of an upload that has the files: an archive, or each file alone. */
export type DirectoryPart = 'archive' | 'files'

/** The error for an entry that cannot be in a directory. It names the entry. */
export function refuseEntry(part: DirectoryPart, name: string, why: string): GpuqError {
  const message = `${shown(name)} ${why}`
  return invalidField(part, message, `The part ${part} cannot be used: the entry ${message}.`)
}

/** The error for an archive that exceeds a limit. `what` says which one and what to do. */
export function entryTooLarge(part: DirectoryPart, name: string, what: string): GpuqError {
  const message = `${what} The entry ${shown(name)} exceeds this limit.`
  return new GpuqError('payload_too_large', message, { errors: [{ path: part, message }] })
}

/** The error for a file that is no archive, or an incomplete one. */
export function refuseArchive(why: string, cause?: unknown): GpuqError {
  return new GpuqError('invalid_fields', `The part archive ${why}.`, {
    errors: [{ path: 'archive', message: why }],
    cause,
  })
}

/** Runs a reader of an archive. Its errors mean that the archive is damaged, except those of gpuq and of the disk. */
export function describeDamage(error: unknown, name: string | null): unknown {
  if (error instanceof EntryProblem) return refuseEntry('archive', error.entry, error.why)
  if (error instanceof ArchiveProblem) return refuseArchive(visibleText(error.why, 500), error)
  if (error instanceof GpuqError || (error instanceof Error && 'syscall' in error)) return error
  const where = name === null ? '' : ` at the entry ${shown(name)}`
  const detail = error instanceof Error ? `: ${visibleText(error.message, 200)}` : ''
  return refuseArchive(`is damaged or incomplete${where}${detail}. Create it again and send it again`, error)
}

function shown(name: string): string {
  return `"${visibleText(name, 200)}"`
}
