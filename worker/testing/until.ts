import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 50

/**
 * Repeats a check until it returns something, and returns that. The limit only ends a test that hangs. It counts checks and
 * not time, so a busy machine, which delays the checks too, does not reach it earlier.
 * @throws after as many checks as fit into `withinMs`; the error contains the text of `details`.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  {
    withinMs = 180_000,
    details = () => '',
  }: { withinMs?: number; details?: () => string | Promise<string> } = {},
): Promise<T> {
  for (let left = withinMs / lookEveryMs; ; left--) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (left <= 0) throw new Error(`Not within ${withinMs / 1000} s: ${what}.\n${await details()}`)
    await sleep(lookEveryMs)
  }
}
