const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** The longest time limit that a server may have. A job with a longer `max_time`, or this one, has no time limit of its own. */
export const longestTimeS = 2_000_000

/** How a duration may be written, for messages. */
export const durationForms = 'seconds, such as 300, or a time with a unit: 90s, 5m, 2h, 1h30m or 1d'

/** The seconds of a duration: `90`, `90s`, `10m`, `1.5h`, `1h30m`, `1d`. Null: the text is none, or not more than 0. */
export function parseDuration(text: string): number | null {
  const bare = text.trim()
  if (/^\d{1,9}(\.\d{1,6})?$/.test(bare)) return positive(Number(bare))
  if (!/^(?:\d{1,9}(?:\.\d{1,6})? ?[smhd] ?)+$/.test(`${bare}`)) return null
  const parts = [...bare.matchAll(/([\d.]+) ?([smhd])/g)]
  return positive(
    parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (secondsOf[unit] ?? 1), 0),
  )
}

function positive(seconds: number): number | null {
  return seconds > 0 ? seconds : null
}
