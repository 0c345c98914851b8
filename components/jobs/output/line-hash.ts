/** Selected lines, numbered from 0, both ends included. */
export interface LineRange {
  from: number
  to: number
}

/** Reads `#L12` and `#L12-L20`, where lines count from 1. */
export function parseLineHash(hash: string): LineRange | null {
  const found = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash)
  if (!found) return null
  const [one, other] = [Number(found[1]) - 1, Number(found[2] ?? found[1]) - 1]
  if (one < 0 || other < 0) return null
  return { from: Math.min(one, other), to: Math.max(one, other) }
}

/** Writes what {@link parseLineHash} reads. */
export function formatLineHash({ from, to }: LineRange): string {
  return from === to ? `#L${from + 1}` : `#L${from + 1}-L${to + 1}`
}
