const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size with a suitable unit: `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit++
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}
