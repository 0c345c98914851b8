import type { StorageUse } from '../../contract/access/storage'
import { type StorageKind, storageKinds } from '../../contract/access/storage-kinds'
import { env } from '../../env'

const GiB = 1024 ** 3

/** Bytes by kind; a kind without files is left out. */
export type BytesByKind = Partial<Record<StorageKind, number>>

/** SQL for the {@link BytesByKind} of a user or a project. */
export const bytesByKind = (owner: 'user_id' | 'project_id', id: string) =>
  `(SELECT coalesce(jsonb_object_agg(kind, bytes), '{}')
      FROM (SELECT kind, sum(bytes)::int8 AS bytes FROM storage_changes WHERE ${owner} = ${id} GROUP BY kind) sums)`

/** The quota of a user in bytes: the user's own, otherwise the default. Null: none. */
export function userQuotaBytes(ownGib: number | null): number | null {
  return toBytes(ownGib ?? env().GPUQ_STORAGE_PER_USER_GIB)
}

/** The quota of a project in bytes. Null: none. A project has no default, because the files count to its users. */
export function projectQuotaBytes(gib: number | null): number | null {
  return gib === null ? null : toBytes(gib)
}

function toBytes(gib: number): number | null {
  return gib === 0 ? null : Math.round(gib * GiB)
}

export function totalBytes(byKind: BytesByKind): number {
  return storageKinds.reduce((sum, kind) => sum + (byKind[kind] ?? 0), 0)
}

/** Converts the columns of a row to what the API says. */
export function toStorageUse(byKind: BytesByKind, quotaBytes: number | null): StorageUse {
  const { artifacts = 0, results = 0, sources = 0, archives = 0, checkpoints = 0, records = 0 } = byKind
  return {
    used_bytes: totalBytes(byKind),
    quota_bytes: quotaBytes,
    by_kind: { artifacts, results, sources, archives, checkpoints, records },
  }
}
