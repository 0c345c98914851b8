import type { StorageUse } from '@/lib/contract/access/storage'
import { type StorageKind, storageKinds } from '@/lib/contract/access/storage-kinds'
import { cn } from '../ui/class-names'
import { formatBytes } from '../ui/format-number'

const kinds: Record<StorageKind, { label: string; color: string }> = {
  artifacts: { label: 'Files of /results', color: 'bg-accent' },
  results: { label: 'Output', color: 'bg-info-ink' },
  sources: { label: 'Programs', color: 'bg-subtle' },
  archives: { label: 'Uploaded directories', color: 'bg-success-ink' },
  checkpoints: { label: 'Checkpoints', color: 'bg-warning-ink' },
  records: { label: 'Records', color: 'bg-ink' },
}

/** "1.4 GiB of 50 GiB", or without a quota "1.4 GiB". */
export function describeStorageUse({ used_bytes, quota_bytes }: StorageUse): string {
  return quota_bytes === null
    ? formatBytes(used_bytes)
    : `${formatBytes(used_bytes)} of ${formatBytes(quota_bytes)}`
}

/** True if a quota leaves nothing. */
export function isStorageFull({ used_bytes, quota_bytes }: StorageUse): boolean {
  return quota_bytes !== null && used_bytes >= quota_bytes
}

/** What is stored by kind, as parts of the quota. */
export function StorageBar({ storage }: { storage: StorageUse }) {
  const { used_bytes, quota_bytes, by_kind } = storage
  const whole = Math.max(used_bytes, quota_bytes ?? 0, 1)
  return (
    <div className="flex flex-col gap-3">
      <p className={cn('text-sm', isStorageFull(storage) ? 'font-medium text-danger-ink' : 'text-ink')}>
        {describeStorageUse(storage)} used
      </p>
      {/* The list below has the same numbers. */}
      <div aria-hidden className="flex h-2.5 overflow-hidden rounded-full border bg-sunken">
        {storageKinds.map((kind) => (
          <div
            key={kind}
            className={kinds[kind].color}
            style={{ width: `${(by_kind[kind] / whole) * 100}%` }}
          />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {storageKinds.map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span aria-hidden className={cn('size-2.5 rounded-full', kinds[kind].color)} />
            <span className="text-muted">{kinds[kind].label}</span>
            <span className="tabular-nums">{formatBytes(by_kind[kind])}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
