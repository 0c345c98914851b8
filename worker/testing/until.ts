import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 50

/**
 * Looks until there is something to see, and returns it. The deadline is only there to end a test that hangs: it is
 * far beyond what is ever needed.
 * @throws when nothing was seen by then, with what `said` can tell about it.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { withinMs = 60_000, said = () => '' }: { withinMs?: number; said?: () => string } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs / 1000} s: ${what}.\n${said()}`)
    await sleep(lookEveryMs)
  }
}
