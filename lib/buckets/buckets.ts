import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, invalidField, notFound } from '../contract/errors'
import { idPattern } from '../contract/id-pattern'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { findRow, isUniqueViolation, oneRow, type Transaction, transaction } from '../database/transaction'
import type { BucketAddress } from '../storage/s3-client'
import { StorageFault } from '../storage/store'
import type { Bucket, createBucketSchema, updateBucketSchema } from './contract'
import { type BucketKeys, decryptKeys, encryptKeys } from './encrypt-keys'
import { ProjectBucket } from './project-bucket'

type BucketRow = WithDates<Bucket, 'created_at' | 'keys_changed_at'>

/** Everything but the keys. */
const columns = `b.name, b.endpoint, b.region, b.bucket, b.created_at, b.keys_changed_at,
  ARRAY(SELECT o.handle || '/' || p.slug FROM projects p JOIN users o ON o.id = p.owner_id
         WHERE p.bucket_id = b.id ORDER BY 1) AS projects`

/** Lists the registered buckets. */
export async function listBuckets(actor: Actor): Promise<Bucket[]> {
  requireAdmin(actor)
  const { rows } = await database().pool.query<BucketRow>(`SELECT ${columns} FROM buckets b ORDER BY b.name`)
  return rows.map(datesToText)
}

/**
 * Registers a bucket, after a test object was written to it.
 * @throws 409 if the name is used, 422 if the bucket accepts no objects.
 */
export async function createBucket(
  actor: Actor,
  { access_key_id, secret_access_key, ...input }: z.output<typeof createBucketSchema>,
): Promise<Bucket> {
  requireAdmin(actor)
  const keys = { accessKeyId: access_key_id, secretAccessKey: secret_access_key }
  await requireWritable(addressOf(input, keys))
  const id = uuidv7()
  const encrypted = await encryptKeys(id, keys)
  return transaction(async (tx) => {
    const { name, ...detail } = input
    await tx
      .query(
        'INSERT INTO buckets (id, name, endpoint, region, bucket, keys) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, name, input.endpoint, input.region, input.bucket, encrypted],
      )
      .catch((error) => {
        if (!isUniqueViolation(error, 'buckets_name_key')) throw error
        throw conflict(`A bucket "${name}" is already registered. Choose another name.`)
      })
    await recordAudit(tx, { actorId: actor.userId, action: 'bucket_created', target: name, detail })
    return readBucket(tx, id)
  })
}

/** Replaces the keys of a bucket, after a test object was written with them. @throws 404, 422. */
export async function changeBucketKeys(
  actor: Actor,
  name: string,
  { access_key_id, secret_access_key }: z.output<typeof updateBucketSchema>,
): Promise<Bucket> {
  requireAdmin(actor)
  const found = await findBucket(database().pool, name)
  const keys = { accessKeyId: access_key_id, secretAccessKey: secret_access_key }
  await requireWritable(addressOf(found, keys))
  const encrypted = await encryptKeys(found.id, keys)
  return transaction(async (tx) => {
    const changed = await tx.query('UPDATE buckets SET keys = $2, keys_changed_at = now() WHERE id = $1', [
      found.id,
      encrypted,
    ])
    if (changed.rowCount === 0) throw noSuchBucket()
    // What could not be stored with the old keys is tried again at once.
    await tx.query('UPDATE job_uploads SET next_try_at = now() WHERE bucket_id = $1 AND settled_at IS NULL', [
      found.id,
    ])
    await recordAudit(tx, { actorId: actor.userId, action: 'bucket_keys_changed', target: name })
    return readBucket(tx, found.id)
  })
}

/** Deletes the registration of a bucket. @throws 404, 409 if projects or results still need it. */
export function deleteBucket(actor: Actor, name: string): Promise<void> {
  requireAdmin(actor)
  return transaction(async (tx) => {
    const { id } = await findBucket(tx, name, 'FOR UPDATE')
    const { projects, uploads } = await oneRow<{ projects: number; uploads: number }>(
      tx,
      `SELECT (SELECT count(*)::int FROM projects WHERE bucket_id = $1) AS projects,
              (SELECT count(*)::int FROM job_uploads WHERE bucket_id = $1 AND settled_at IS NULL) AS uploads`,
      [id],
    )
    if (projects > 0) {
      throw conflict(`"${name}" is the bucket of ${projects} projects. Remove it from these projects first.`)
    }
    if (uploads > 0) {
      throw conflict(`The results of ${uploads} jobs are not in "${name}" yet. Wait until they are stored.`)
    }
    await tx.query('DELETE FROM buckets WHERE id = $1', [id])
    await recordAudit(tx, { actorId: actor.userId, action: 'bucket_deleted', target: name })
  })
}

/**
 * Opens a registered bucket for writing.
 * @throws Error that says what to do if its keys cannot be decrypted.
 */
export async function openBucket(id: string): Promise<ProjectBucket> {
  const row = await database().prisma.bucket.findUniqueOrThrow({ where: { id } })
  const keys = await decryptKeys(id, row.keys)
  if (keys === null) {
    throw new StorageFault(
      'denied',
      `The keys of the bucket "${row.name}" cannot be decrypted, because GPUQ_SECRET has changed. An admin must enter them again: gpuq buckets keys ${row.name}`,
    )
  }
  return new ProjectBucket(addressOf(row, keys))
}

interface StoredBucket extends Pick<Bucket, 'name' | 'endpoint' | 'region' | 'bucket'> {
  id: string
  keys: Buffer
}

function addressOf(
  { endpoint, region, bucket }: Pick<Bucket, 'endpoint' | 'region' | 'bucket'>,
  credentials: BucketKeys,
): BucketAddress {
  return { bucket, region, credentials, ...(endpoint === null ? {} : { endpoint }) }
}

async function requireWritable(address: BucketAddress): Promise<void> {
  const bucket = new ProjectBucket(address)
  try {
    await bucket.check()
  } catch (error) {
    if (!(error instanceof StorageFault)) throw error
    throw invalidField('bucket', error.message)
  } finally {
    await bucket.close()
  }
}

async function findBucket(executor: Transaction, name: string, lock = ''): Promise<StoredBucket> {
  const select = `SELECT id, name, endpoint, region, bucket, keys FROM buckets WHERE name = $1 ${lock}`
  const found = idPattern.test(name) ? await findRow<StoredBucket>(executor, select, [name]) : null
  if (found) return found
  throw noSuchBucket()
}

function noSuchBucket() {
  return notFound('There is no such bucket. GET /api/buckets lists the registered ones.')
}

async function readBucket(tx: Transaction, id: string): Promise<Bucket> {
  return datesToText(await oneRow<BucketRow>(tx, `SELECT ${columns} FROM buckets b WHERE b.id = $1`, [id]))
}
