/** Numbers first, then text, then other values; missing values come last. */
export function compareCells(one: unknown, other: unknown): number {
  const [rankOne, rankOther] = [rank(one), rank(other)]
  if (rankOne !== rankOther) return rankOne - rankOther
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'string' && typeof other === 'string') return collator.compare(one, other)
  return Number(one === true) - Number(other === true)
}

const collator = new Intl.Collator('en', { numeric: true })

function rank(value: unknown): number {
  if (typeof value === 'number') return 0
  if (typeof value === 'string') return 1
  if (typeof value === 'boolean') return 2
  return typeof value === 'object' && value !== null ? 3 : 4
}
