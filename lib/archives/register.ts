import { uuidv7 } from 'uuidv7'
import type { Actor } from '../access/actor'
import { findOrCreateProject } from '../access/projects/submission-project'
import { RateWindow } from '../async/rate-window'
import {
  contentsOf,
  type Entry,
  isLink,
  type Manifest,
  toManifest,
  totalBytes,
} from '../contract/archive-manifest'
import type { ArchiveState } from '../contract/archives'
import { GpuqError } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { archiveHash } from './archive-hash'
import { requireQuota } from './storage-quota'

const MiB = 1024 * 1024
const perMinute = 60

// Next.js loads modules anew for each route bundle; the count is kept once a process.
const shared = globalThis as typeof globalThis & { gpuqArchives?: Map<string, RateWindow> }
shared.gpuqArchives ??= new Map()
const windows = shared.gpuqArchives

/** Largest directory, in bytes. */
export function maxArchiveBytes(): number {
  return env().GPUQ_MAX_ARCHIVE_MIB * MiB
}

/**
 * Takes a directory's list, and says what of its content the project does not have. Once that is nothing, the directory
 * is there for jobs of the project. The project is made where there is none, as for a job.
 * @throws 413 for too large a directory, or where its owner's projects hold too much; 429 too often.
 */
export async function registerArchive(
  actor: Actor,
  projectSlug: string,
  entries: readonly Entry[],
): Promise<ArchiveState> {
  requireNotTooOften(actor)
  requireSize(entries)
  const manifest = toManifest(entries)
  const archive = archiveHash(manifest)
  const missing = await transaction(async (tx) => {
    const { id: projectId } = await findOrCreateProject(tx, actor.userId, projectSlug)
    await acquireLockOf(tx, 'archiveContents', projectId, 'shared')
    const missing = await findMissing(tx, projectId, entries)
    if (missing.length === 0) await insertArchive(tx, projectId, archive, manifest)
    else await requireQuota(tx, projectId, missingBytes(entries, missing))
    return missing
  })
  return { archive, missing }
}

function requireNotTooOften({ userId }: Actor): void {
  const now = performance.now()
  // One entry for each user who ever ships something: small, and gone with the process.
  const window = windows.get(userId) ?? new RateWindow(perMinute, 60_000)
  windows.set(userId, window)
  const wait = window.hit(now)
  if (wait === null) return
  throw new GpuqError('rate_limited', `You may ship ${perMinute} directories a minute. Wait ${wait} s.`, {
    headers: { 'retry-after': String(wait) },
  })
}

function requireSize(entries: readonly Entry[]): void {
  const bytes = totalBytes(entries)
  if (bytes <= maxArchiveBytes()) return
  const largest = entries
    .flatMap((entry) => (isLink(entry) ? [] : [entry]))
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ path, bytes: size }) => `${path} (${Math.ceil(size / MiB)} MiB)`)
  throw new GpuqError(
    'payload_too_large',
    `The directory has ${Math.ceil(bytes / MiB)} MiB, and may have ${env().GPUQ_MAX_ARCHIVE_MIB}. Its largest files: ${largest.join(', ')}.`,
  )
}

/** @throws 422 where a content is there with another size: one of the two is a lie. */
async function findMissing(tx: Transaction, projectId: string, entries: readonly Entry[]): Promise<string[]> {
  const contents = contentsOf(entries)
  const { rows } = await tx.query<{ hash: string; bytes: number }>({
    name: 'known-blobs',
    text: `SELECT encode(hash, 'hex') AS hash, bytes FROM archive_blobs WHERE project_id = $1 AND hash = ANY ($2::bytea[])`,
    values: [projectId, [...contents.keys()].map((hash) => Buffer.from(hash, 'hex'))],
  })
  const known = new Set(rows.map(({ hash }) => hash))
  const wrong = rows.find(({ hash, bytes }) => contents.get(hash) !== bytes)
  if (wrong) {
    const message = `the content ${wrong.hash} has ${wrong.bytes} bytes`
    throw new GpuqError('invalid_fields', `entries: ${message}`, { errors: [{ path: 'entries', message }] })
  }
  return [...contents.keys()].filter((hash) => !known.has(hash))
}

function missingBytes(entries: readonly Entry[], missing: readonly string[]): number {
  const contents = contentsOf(entries)
  return missing.reduce((sum, hash) => sum + (contents.get(hash) ?? 0), 0)
}

async function insertArchive(
  tx: Transaction,
  projectId: string,
  hash: string,
  manifest: Manifest,
): Promise<void> {
  await tx.query({
    name: 'insert-archive',
    text: `INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (project_id, hash) DO UPDATE SET created_at = now()`,
    values: [
      uuidv7(),
      projectId,
      Buffer.from(hash, 'hex'),
      JSON.stringify(manifest),
      manifest.entries.length,
      totalBytes(manifest.entries),
    ],
  })
}
