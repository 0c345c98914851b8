/** Statistics of repeated measurements, in milliseconds. */
export interface Figures {
  median: number
  p95: number
  p99: number
  min: number
  max: number
  count: number
}

export function figuresOf(samples: readonly number[]): Figures {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), min: at(0), max: at(1), count: sorted.length }
}

/**
 * Measures several functions alternately, A B C A B C …, so that changes of the machine's speed affect all of
 * them.
 */
export async function measureInTurn<Name extends string>(
  rounds: number,
  things: Record<Name, () => Promise<number>>,
): Promise<Record<Name, Figures>> {
  const names = Object.keys(things) as Name[]
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (const name of names) await things[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of names) samples.get(name)?.push(await things[name]())
  }
  return Object.fromEntries(names.map((name) => [name, figuresOf(samples.get(name) ?? [])])) as Record<
    Name,
    Figures
  >
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const times = (value: number) => `${value.toFixed(2)} ×`
