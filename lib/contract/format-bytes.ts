const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** A size in binary units: "512 B", "1.4 MiB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${amount.toFixed(amount < 9.95 ? 1 : 0)} ${units[power - 1]}`
}
