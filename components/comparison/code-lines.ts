import { diffLines } from 'diff'

/** A line of a comparison: in both texts, only in the first one, or only in the second one. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'gap'
  /** Its numbers in both texts, counted from 1. */
  before: number | null
  after: number | null
  text: string
}

/** Equal lines shown around each difference. */
const context = 3
/** Two programs of 1 MiB without a common line would take minutes. */
const timeoutMs = 500

/** The differences of two texts line by line, with some lines around them. Null: they are too different. */
export function compareCode(first: string, second: string): DiffLine[] | null {
  const parts = diffLines(withEnd(first), withEnd(second), { timeout: timeoutMs })
  if (!parts) return null
  let [before, after] = [0, 0]
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .split('\n')
      .slice(0, -1)
      .map((text): DiffLine => {
        if (!added) before++
        if (!removed) after++
        if (added) return { kind: 'added', before: null, after, text }
        if (removed) return { kind: 'removed', before, after: null, text }
        return { kind: 'same', before, after, text }
      }),
  )
  return withoutFarLines(lines)
}

/** The last line of a text has no end, and line ends of Windows are no difference. */
function withEnd(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n')
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
}

/** Replaces the lines that are far from each difference by one gap. */
function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') near.fill(1, Math.max(0, at - context), at + context + 1)
  }
  return lines.flatMap((line, at) => {
    if (near[at]) return [line]
    const first = at === 0 || near[at - 1]
    return first ? [{ kind: 'gap' as const, before: null, after: null, text: '' }] : []
  })
}
