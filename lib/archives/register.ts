import { uuidv7 } from 'uuidv7'
import type { Actor } from '../access/actor'
import { findOrCreateProject } from '../access/projects/submission-project'
import { SlidingWindows } from '../async/sliding-windows'
import {
  canonicalText,
  contentsOf,
  type Entry,
  isLink,
  type Manifest,
  toManifest,
  totalBytes,
} from '../contract/archives/archive-manifest'
import type { ArchiveState } from '../contract/archives/archives'
import { GpuqError, invalidField } from '../contract/errors'
import { acquireLockOf } from '../database/locks'
import { type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { archiveHash } from './archive-hash'
import { requireArchiveQuota } from './archive-quota'

const MiB = 1024 * 1024
const perMinute = 60
const minuteMs = 60_000
/** More users than upload directories within two minutes. */
const maxUsers = 20_000

// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqArchives?: SlidingWindows }
shared.gpuqArchives ??= new SlidingWindows(minuteMs, maxUsers)
const windows = shared.gpuqArchives

/** Maximum size of a directory in bytes. */
export function maxArchiveBytes(): number {
  return env().GPUQ_MAX_ARCHIVE_MIB * MiB
}

/**
 * Registers the manifest of a directory, and returns the contents that the actor must send: those that the actor has not sent
 * to the project yet, and that no snapshot of the project has. What other members sent makes no difference. If
 * nothing is missing, the actor's jobs can use the directory. Creates the project if necessary.
 * @throws 413 if the directory is too large; 403 over the storage quota; 507 on a full disk; 429 for too many requests.
 */
export async function registerArchive(
  actor: Actor,
  projectSlug: string,
  entries: readonly Entry[],
): Promise<ArchiveState> {
  requireWithinRateLimit(actor)
  requireSize(entries)
  requireShape(entries)
  const manifest = toManifest(entries)
  const archive = archiveHash(manifest)
  const missing = await transaction(async (tx) => {
    const { id: projectId } = await findOrCreateProject(tx, actor, projectSlug)
    await acquireLockOf(tx, 'archiveContents', projectId, 'shared')
    const holder = { projectId, userId: actor.userId }
    const { missing, readable } = await findUnheld(tx, holder, entries)
    const added = [...missing, ...readable]
    // A directory that the user has takes nothing more.
    if (added.length > 0 || !(await holdsArchive(tx, holder, archive)))
      await requireArchiveQuota(tx, projectId, bytesOf(entries, added) + recordBytes(manifest, added))
    if (missing.length > 0) return missing
    await holdReadable(tx, holder, readable)
    await insertArchive(tx, holder, archive, manifest)
    return missing
  })
  return { archive, missing }
}

function requireWithinRateLimit({ userId }: Actor): void {
  const wait = windows.hit(userId, perMinute, performance.now())
  if (wait === null) return
  throw new GpuqError(
    'rate_limited',
    `You may upload ${perMinute} directories per minute. Wait ${wait} s and try again.`,
    { retryAfterS: wait },
  )
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
    `The directory has ${Math.ceil(bytes / MiB)} MiB; the limit is ${env().GPUQ_MAX_ARCHIVE_MIB} MiB. Exclude some files. The largest are: ${largest.join(', ')}.`,
  )
}

function requireShape(entries: readonly Entry[]): void {
  const { GPUQ_MAX_ARCHIVE_FILES: files, GPUQ_MAX_ARCHIVE_DEPTH: depth } = env()
  if (entries.length > files) {
    const message = `The directory has ${entries.length} files and links; the limit is ${files}. Exclude some of them.`
    throw new GpuqError('payload_too_large', message)
  }
  const deep = entries.find(({ path }) => path.split('/').length > depth)
  if (deep) throw invalidField('entries', `"${deep.path}" is deeper than ${depth} names: move it up`)
}

/** A user, and the project of their directories. */
export interface Holder {
  projectId: string
  userId: string
}

/**
 * Finds the contents that the user has not sent: those that they may read in snapshots of the project, and those that are
 * missing.
 * @throws 422 if the user knows a content with a different size, because one of the two sizes must be wrong.
 */
async function findUnheld(
  tx: Transaction,
  { projectId, userId }: Holder,
  entries: readonly Entry[],
): Promise<{ missing: string[]; readable: string[] }> {
  const contents = contentsOf(entries)
  const { rows } = await tx.query<{ hash: string; bytes: number; held: boolean }>({
    name: 'known-blobs',
    text: `SELECT encode(hash, 'hex') AS hash, bytes, bool_or(held) AS held
             FROM (SELECT hash, bytes, true AS held FROM archive_blobs
                    WHERE project_id = $1 AND hash = ANY ($2::bytea[]) AND user_id = $3
                   UNION ALL
                   SELECT hash, bytes, false FROM archive_blobs
                    WHERE project_id = $1 AND hash = ANY ($2::bytea[]) AND in_snapshot) known GROUP BY 1, 2`,
    values: [projectId, [...contents.keys()].map((hash) => Buffer.from(hash, 'hex')), userId],
  })
  const wrong = rows.find(({ hash, bytes }) => contents.get(hash) !== bytes)
  if (wrong) {
    throw invalidField('entries', `the content ${wrong.hash} has ${wrong.bytes} bytes`)
  }
  const known = new Set(rows.map(({ hash }) => hash))
  return {
    missing: [...contents.keys()].filter((hash) => !known.has(hash)),
    readable: rows.filter(({ held }) => !held).map(({ hash }) => hash),
  }
}

function bytesOf(entries: readonly Entry[], hashes: readonly string[]): number {
  const contents = contentsOf(entries)
  return hashes.reduce((sum, hash) => sum + (contents.get(hash) ?? 0), 0)
}

/** Gives the user contents of snapshots, so that their directory keeps them after the snapshots are deleted. */
async function holdReadable(
  tx: Transaction,
  { projectId, userId }: Holder,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return
  await tx.query(
    `INSERT INTO archive_blobs (project_id, hash, user_id, bytes)
     SELECT DISTINCT ON (hash) project_id, hash, $3::uuid, bytes FROM archive_blobs
      WHERE project_id = $1 AND hash = ANY ($2::bytea[]) AND in_snapshot ORDER BY hash
     ON CONFLICT (project_id, hash, user_id) DO NOTHING`,
    [projectId, hashes.map((hash) => Buffer.from(hash, 'hex')), userId],
  )
}

/** As `row_bytes()` in the database: what a row takes besides its texts. */
const rowBytes = 200

/** The manifest is stored too, and a row for each content: a directory of links only has nothing else. */
function recordBytes(manifest: Manifest, contents: readonly string[]): number {
  return (1 + contents.length) * rowBytes + Buffer.byteLength(canonicalText(manifest))
}

/** Not whether the project has it: a user must not find out by the quota what others have. */
async function holdsArchive(tx: Transaction, { projectId, userId }: Holder, hash: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'holds-archive',
    text: `SELECT 1 FROM archives a JOIN archive_holders h ON h.archive_id = a.id
            WHERE a.project_id = $1 AND a.hash = decode($2, 'hex') AND h.user_id = $3`,
    values: [projectId, hash, userId],
  })
  return rowCount === 1
}

async function insertArchive(
  tx: Transaction,
  { projectId, userId }: Holder,
  hash: string,
  manifest: Manifest,
): Promise<void> {
  await tx.query({
    name: 'insert-archive',
    text: `WITH archive AS (
             INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (project_id, hash) DO UPDATE SET created_at = now() RETURNING id)
           INSERT INTO archive_holders (archive_id, user_id) SELECT id, $7::uuid FROM archive
           ON CONFLICT (archive_id, user_id) DO UPDATE SET held_at = now()`,
    values: [
      uuidv7(),
      projectId,
      Buffer.from(hash, 'hex'),
      JSON.stringify(manifest),
      manifest.entries.length,
      totalBytes(manifest.entries),
      userId,
    ],
  })
}
