const byteUnits = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in binary units: "512 B", "1.4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(byteUnits.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${amount.toFixed(amount < 9.95 ? 1 : 0)} ${byteUnits[power - 1]}`
}

/** A number with thousands separators: "300,000". */
export function formatNumber(value: number): string {
  return value.toLocaleString('en')
}

/** A count with its noun: "1 GPU", "1,500 jobs". */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}
