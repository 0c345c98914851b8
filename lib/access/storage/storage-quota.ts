import { storageKindNames, storageKinds } from '../../contract/access/storage-kinds'
import { GpuqError } from '../../contract/errors'
import { formatBytes } from '../../contract/format-bytes'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { publicUrl } from '../../env'
import { type BytesByKind, bytesByKind, projectQuotaBytes, totalBytes, userQuotaBytes } from './storage-use'
import { bytesInProgress, type StorageOwner } from './uploads-in-progress'

/** What a user may still store in a project. */
export interface StorageQuota {
  owner: StorageOwner
  /** Infinity: there is no quota. */
  remainingBytes: number
  /** Says which quota is used up, and what to delete. */
  describe: () => string
}

interface QuotaRow {
  handle: string
  slug: string
  userGib: number | null
  projectGib: number | null
  ofUser: BytesByKind
  ofProject: BytesByKind
}

/** What a user or a project stores, and may store. */
interface Account {
  subject: string
  use: BytesByKind
  quotaBytes: number | null
}

/**
 * Reads the two quotas that apply to files of a user in a project, and what is stored: one query over indexed sums, and the
 * uploads in progress.
 */
export async function readStorageQuota(executor: Transaction, owner: StorageOwner): Promise<StorageQuota> {
  const { userId, projectId } = owner
  const row = await findRow<QuotaRow>(executor, {
    name: 'storage-quota',
    text: `SELECT u.handle, p.slug, u.storage_quota_gib AS "userGib", p.storage_quota_gib AS "projectGib",
                  ${bytesByKind('user_id', 'u.id')} AS "ofUser",
                  CASE WHEN p.storage_quota_gib IS NULL THEN '{}' ELSE ${bytesByKind('project_id', 'p.id')} END AS "ofProject"
             FROM users u, projects p WHERE u.id = $1 AND p.id = $2`,
    values: [userId, projectId],
  })
  // Deleted a moment ago: what follows fails for that reason.
  if (!row) return { owner, remainingBytes: Number.POSITIVE_INFINITY, describe: () => '' }
  const accounts: Account[] = [
    {
      subject: `The user "${row.handle}"`,
      use: withUploads(row.ofUser, userId),
      quotaBytes: userQuotaBytes(row.userGib),
    },
    {
      subject: `The project "${row.slug}"`,
      use: withUploads(row.ofProject, projectId),
      quotaBytes: projectQuotaBytes(row.projectGib),
    },
  ]
  const tightest = accounts.reduce((one, other) => (remainingOf(other) < remainingOf(one) ? other : one))
  return { owner, remainingBytes: remainingOf(tightest), describe: () => describeAccount(tightest) }
}

const withUploads = (use: BytesByKind, id: string): BytesByKind => ({
  ...use,
  archives: (use.archives ?? 0) + bytesInProgress(id),
})

/** The same for directories: they count to the owner of the project, whoever stores them. */
export async function readProjectStorageQuota(
  executor: Transaction,
  projectId: string,
): Promise<StorageQuota> {
  const { userId } = await oneRow<{ userId: string }>(executor, {
    name: 'owner-of-project',
    text: 'SELECT owner_id AS "userId" FROM projects WHERE id = $1',
    values: [projectId],
  })
  return readStorageQuota(executor, { userId, projectId })
}

function remainingOf({ use, quotaBytes }: Account): number {
  return quotaBytes === null ? Number.POSITIVE_INFINITY : Math.max(0, quotaBytes - totalBytes(use))
}

const namedKinds = 2

function describeAccount({ subject, use, quotaBytes }: Account): string {
  const largest = storageKinds
    .map((kind) => ({ name: storageKindNames[kind], bytes: use[kind] ?? 0 }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, namedKinds)
    .map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`)
  const most = largest.length > 0 ? ` Most of it: ${largest.join(', ')}.` : ''
  return `${subject} has stored ${formatBytes(totalBytes(use))} of ${formatBytes(quotaBytes ?? 0)}.${most}`
}

/** The error for a user who has no storage left. */
export function storageQuotaExceeded(quota: StorageQuota): GpuqError {
  return new GpuqError(
    'quota_exceeded',
    `${quota.describe()} Delete files at ${publicUrl()}/settings#storage or with DELETE /api/jobs/ID/files, or ask an admin for a larger quota.`,
  )
}

/** @throws 403 if the user, or the project, has used up its quota. */
export async function requireStorageQuota(executor: Transaction, owner: StorageOwner): Promise<void> {
  const quota = await readStorageQuota(executor, owner)
  if (quota.remainingBytes <= 0) throw storageQuotaExceeded(quota)
}
