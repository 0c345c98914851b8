const byteUnits = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in the units that memory and limits are given in: "512 B", "1.4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(byteUnits.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${amount.toFixed(amount < 9.95 ? 1 : 0)} ${byteUnits[power - 1]}`
}

/** A count with its thousands apart: "300,000". */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
