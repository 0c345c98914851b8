export { formatBytes } from '@/lib/contract/format-bytes'

/** A number with thousands separators: "300,000". */
export function formatNumber(value: number): string {
  // Without Intl, whose first use takes 14 ms.
  return Number.isSafeInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, ',')
    : value.toLocaleString('en')
}

/** A count with its noun: "1 GPU", "1,500 jobs". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A limit that applies. Null means none. */
export function formatLimit(value: number | null): string {
  return value === null ? 'no limit' : formatNumber(value)
}
