import type { SnapshotChange, SnapshotChanges } from '@/lib/contract/archives/changes'
import { formatBytes, formatCount, formatNumber } from '../ui/format-number'
import type { Tone } from '../ui/tones'

/** How many files differ between two directories: "1 added (3 B), 2 changed (5 kB), 7 unchanged". */
export function describeChanges({ added, removed, changed, unchanged, files }: SnapshotChanges): string {
  if (files.length === 0) return `No differences: ${formatCount(unchanged.files, 'file')}.`
  const parts = Object.entries({ added, removed, changed })
    .filter(([, counts]) => counts.files > 0)
    .map(([name, counts]) => `${formatNumber(counts.files)} ${name} (${formatBytes(counts.bytes)})`)
  return [...parts, `${formatNumber(unchanged.files)} unchanged`].join(', ')
}

export const changeTones = { added: 'success', removed: 'danger', changed: 'info' } as const satisfies Record<
  SnapshotChange['change'],
  Tone
>
