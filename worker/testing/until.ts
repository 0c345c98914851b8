import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 50

/**
 * Looks until there is something to see, and returns it. The deadline is only there to end a test that hangs: it is
 * far beyond what is ever needed. It counts in looks, so that a machine that is busy, which holds up these as well, does
 * not bring it nearer.
 * @throws when nothing was seen in as many looks as fit into `withinMs`, with what `said` can tell about it.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { withinMs = 180_000, said = () => '' }: { withinMs?: number; said?: () => string } = {},
): Promise<T> {
  for (let left = withinMs / lookEveryMs; ; left--) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (left <= 0) throw new Error(`Not within ${withinMs / 1000} s: ${what}.\n${said()}`)
    await sleep(lookEveryMs)
  }
}
