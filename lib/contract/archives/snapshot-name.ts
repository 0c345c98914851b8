import * as z from 'zod'

/** Maximum length of a snapshot's name, and of each of its parts, in characters. */
const maxNameLength = 128
const maxPartLength = 63
const maxParts = 8
/** The largest number of a version. */
export const maxVersion = 2_147_483_647

/** A snapshot as a config names it: `code`, `code@3`, `data/cifar10`. */
export interface SnapshotReference {
  name: string
  /** Null: the newest version. */
  version: number | null
}

/**
 * Why a text cannot be the name of a snapshot; null if it can. A name never looks like a hash, because a part is
 * shorter.
 */
export function refuseSnapshotName(name: string): string | null {
  if (name === '') return 'is empty: write a name such as data/cifar10'
  if (name.length > maxNameLength) return `must be at most ${maxNameLength} characters`
  const parts = name.split('/')
  if (parts.length > maxParts) return `must have at most ${maxParts} parts between slashes`
  if (!/^[a-z]/.test(name)) return 'must begin with a lower-case letter'
  for (const part of parts) {
    if (part === '') return 'has two slashes in a row, or ends with one'
    if (part.length > maxPartLength) return `has a part longer than ${maxPartLength} characters`
    if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(part)) {
      return 'may have lower-case letters, digits, "-", "_", "." and slashes, and each part begins and ends with a letter or digit'
    }
  }
  return null
}

/** Why a text names no snapshot; null if it is a name or `name@version`. */
export function refuseSnapshot(reference: string): string | null {
  const at = reference.indexOf('@')
  if (at === -1) return refuseSnapshotName(reference)
  return (
    refuseSnapshotName(reference.slice(0, at)) ??
    (parseVersion(reference.slice(at + 1)) === null
      ? `must have a version number after "@", such as ${reference.slice(0, at)}@1`
      : null)
  )
}

/** Parses `name` or `name@version`. Returns null for any other text. */
export function parseSnapshot(reference: string): SnapshotReference | null {
  if (refuseSnapshot(reference) !== null) return null
  const [name = '', version] = reference.split('@')
  return { name, version: version === undefined ? null : parseVersion(version) }
}

/** `code@3`; without a version, the name. */
export function formatSnapshot({ name, version }: SnapshotReference): string {
  return version === null ? name : `${name}@${version}`
}

function parseVersion(text: string): number | null {
  if (!/^[1-9]\d{0,9}$/.test(text)) return null
  const version = Number(text)
  return version <= maxVersion ? version : null
}

const refined = (refuse: (text: string) => string | null) =>
  z.string().superRefine((text, context) => {
    const message = refuse(text)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

export const snapshotNameSchema = refined(refuseSnapshotName).meta({ examples: ['code', 'data/cifar10'] })

/** `name` or `name@version`. */
export const snapshotReferenceSchema = refined(refuseSnapshot)

/** True for the hash of an uploaded directory, which a config may name instead of a snapshot. */
export function isArchiveHash(reference: string): boolean {
  return /^[0-9a-f]{64}$/.test(reference)
}

/** The `archive` of a config: a snapshot, or the hash of an uploaded directory. */
export const archiveReferenceSchema = refined((reference) => {
  const message = isArchiveHash(reference) ? null : refuseSnapshot(reference)
  return message && `names neither a snapshot (code or code@3) nor a hash of 64 characters: it ${message}`
}).meta({ examples: ['code', 'code@3'] })
