import type { User } from '../../contract/access/access'
import { type GpuqError, notFound } from '../../contract/errors'
import { idPattern } from '../../contract/id-pattern'
import { findRow, type Transaction } from '../../database/transaction'
import { apiLimitsOf } from '../limits'
import { type BytesByKind, bytesByKind, toStorageUse, userQuotaBytes } from '../storage/storage-use'

/** A user row with {@link userColumns}. */
export interface UserRow extends Omit<User, 'user_id' | 'storage' | 'created_at' | 'last_seen_at'> {
  id: string
  handle: string
  stored: BytesByKind
  created_at: Date
  last_seen_at: Date | null
}

export const userColumns = `id, handle, email, name, role, disabled_at IS NOT NULL AS disabled, may_create_classes, may_host_competitions,
  password_hash IS NULL AND coalesce(invitation_expires_at > now(), false) AS invited,
  ${apiLimitsOf('users')},
  ${bytesByKind('user_id', 'users.id')} AS stored, storage_quota_gib, gpu_hour_budget, budget_period, budget_when_used_up, unix_uid, unix_gid, created_at, last_seen_at`

/** Converts a row to the user of the API. */
export function toUser({ id: _, handle, stored, created_at, last_seen_at, ...user }: UserRow): User {
  return {
    user_id: handle,
    ...user,
    storage: toStorageUse(stored, userQuotaBytes(user.storage_quota_gib)),
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at?.toISOString() ?? null,
  }
}

/** Finds a user by handle in any letter case. @throws 404 if there is none. */
export async function findUser(executor: Transaction, handle: string): Promise<UserRow> {
  const select = `SELECT ${userColumns} FROM users WHERE lower(handle) = lower($1)`
  const row = idPattern.test(handle) ? await findRow<UserRow>(executor, select, [handle]) : null
  if (!row) throw noSuchUser()
  return row
}

export function noSuchUser(): GpuqError {
  return notFound('There is no such user. Check the user id.')
}
