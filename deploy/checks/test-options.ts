/** What `npm test` and its relatives are asked to run. */
import { parseArgs } from 'node:util'

/**
 * `test`: one case of each guarantee. `release`: every test, on every product, and the faults. `hostile` and `faults`: one part of
 * the release suite.
 */
export type Suite = 'test' | 'release' | 'hostile' | 'faults'

/** What was asked cannot be done; the message says why and what to do. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export interface TestOptions {
  suite: Suite
  /** Runs only the test files whose path contains one of them. Empty: all. */
  patterns: string[]
  /** Runs only what differs from `main`, committed or not. */
  changed: boolean
  /** Forgets an interrupted run of the release suite. */
  restart: boolean
}

/** Set to `release`, it adds the tests that repeat a guarantee: on Podman, on warm containers, and `x.release.…`. */
export const matrixVariable = 'GPUQ_TEST_MATRIX'
/** How many requests the fuzzer sends; unset: as many as `npm test` has time for. */
const fuzzVariable = 'GPUQ_FUZZ_REQUESTS'
const releaseFuzzRequests = '5000'

/** Parses the arguments. @throws {UsageError} if they are not understood. */
export function parseTestOptions(args: readonly string[]): TestOptions {
  const { values, positionals } = parse(args)
  const suites = (['release', 'hostile', 'faults'] as const).filter((name) => values[name])
  if (suites.length > 1) throw new UsageError(`--${suites.join(' and --')} exclude each other.`)
  const { changed = false, restart = false } = values
  const [suite = 'test'] = suites
  if (restart && suite !== 'release')
    throw new UsageError('--restart needs --release: only that suite continues.')
  if (changed && (suite !== 'test' || positionals.length > 0))
    throw new UsageError('--changed selects the tests itself: give it no pattern, and no other suite.')
  return { suite, patterns: positionals, changed, restart }
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean' } as const
  const options = { release: flag, hostile: flag, faults: flag, changed: flag, restart: flag }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const known = '--changed, or a part of the path of test files'
    throw new UsageError(
      `${error instanceof Error ? error.message.split('.')[0] : error}. npm test knows: ${known}.`,
    )
  }
}

/** The environment of the programs that run the tests of a suite. */
export function suiteEnvironment({ suite }: Pick<TestOptions, 'suite'>): Record<string, string> {
  if (suite === 'release') return { [matrixVariable]: 'release', [fuzzVariable]: releaseFuzzRequests }
  return suite === 'hostile' ? { [fuzzVariable]: releaseFuzzRequests } : {}
}
