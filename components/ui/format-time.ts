const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
] as const

const monthSeconds = 30 * 86_400

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'] as const

/** "20 Nov 2026", in UTC. Without Intl, whose first use takes 14 ms. */
function formatDate(at: number): string {
  const date = new Date(at)
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** "3 min ago", "in 2 d"; after a month, the date. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const distance = Math.abs(seconds)
  if (distance >= monthSeconds) return formatDate(at)
  const unit = units.find((candidate) => distance >= candidate.seconds)
  if (!unit) return distance < 10 ? 'just now' : seconds < 0 ? `${distance} s ago` : `in ${distance} s`
  const amount = `${Math.floor(distance / unit.seconds)} ${unit.name}`
  return seconds < 0 ? `${amount} ago` : `in ${amount}`
}

/** The same text on the server and in the browser: "2026-11-20 22:40 UTC". */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** A limit or an estimate in seconds: "5 min" instead of "5 min 00 s". */
export function formatSeconds(seconds: number): string {
  return formatDuration(seconds * 1000).replace(/(?<= (min|h|d)) 0?0 \w+$|\.0(?= s$)/, '')
}

/** A duration in its two largest units: "0.8 s", "42 s", "5 min 03 s", "2 h 10 min", "3 d 4 h". */
export function formatDuration(milliseconds: number): string {
  const total = Math.max(0, milliseconds) / 1000
  if (total < 9.95) return `${total.toFixed(1)} s`
  const seconds = Math.round(total)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
