import type { Range } from './chart-settings'

const steps = 50

/** The place to which a key moves the cursor; undefined: the key does not move it. */
export function moveByKey(
  key: string,
  { from, to }: Range,
  cursor: number | null,
  isWhole: boolean,
): number | undefined {
  const part = (to - from) / steps
  const step = isWhole ? Math.max(1, Math.round(part)) : part
  switch (key) {
    case 'ArrowRight':
      return cursor === null ? from : Math.min(cursor + step, to)
    case 'ArrowLeft':
      return cursor === null ? to : Math.max(cursor - step, from)
    case 'Home':
      return from
    case 'End':
      return to
    default:
      return undefined
  }
}

/** The next range; null: all; undefined: the key does not zoom. */
export function zoomByKey(key: string, { from, to }: Range, at: number): Range | null | undefined {
  const half = (to - from) / 4
  if (key === '+' || key === '=') return { from: Math.max(from, at - half), to: Math.min(to, at + half) }
  if (key === '-') return { from: from - 2 * half, to: to + 2 * half }
  return key === '0' ? null : undefined
}
