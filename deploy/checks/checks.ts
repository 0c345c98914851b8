/** The checks of each suite, and what they need. */
import type { createRunners, Runner } from './check-runners'
import type { Preparation } from './preparations'
import { isReleaseOnly, type Kind } from './select-tests'
import type { Suite } from './test-options'

export interface Check {
  name: string
  /** Preparations and checks that must succeed first. */
  needs: (Preparation | 'build')[]
  /** Checks that must have ended, because both write to the same directory or because both cores are needed. */
  after?: string[]
  run: Runner
}

interface Choice {
  suite: Suite
  /** Whether each test of the suite runs, not only those of `files`. */
  complete: boolean
  /** The test files, by kind. */
  files: ReadonlyMap<Kind, readonly string[]>
  /** Whether lint and types run too, although only some tests run. */
  withStatic: boolean
}

type Runners = ReturnType<typeof createRunners>

/** The checks that a choice selects, in the order in which they start if their prerequisites are ready. */
export function chooseChecks(choice: Choice, runners: Runners): Check[] {
  const { suite, complete, files, withStatic } = choice
  const given = (kind: Kind) => (complete ? [] : [...(files.get(kind) ?? [])])
  const all = [
    ...ordinaryChecks(suite, runners, given),
    ...(suite === 'faults' || suite === 'release'
      ? faultChecks(suite, runners, files.get('faults') ?? [])
      : []),
  ]
  const hasTests = (name: string) => (suite !== 'faults' || name === 'faults') && files.has(name as Kind)
  const needsBuild = ['e2e', 'server', 'faults'].some(hasTests)
  return all.filter(({ name }) => {
    if (name === 'build') return needsBuild
    if (name === 'lint' || name === 'types') return suite !== 'faults' && (complete || withStatic)
    return name.startsWith('faults') ? true : hasTests(name)
  })
}

/** A worker of the tests, or a system with one, starts containers and may be driven by Slurm. */
const running: Check['needs'] = ['client', 'engine', 'image', 'slurm']

function ordinaryChecks(suite: Suite, runners: Runners, given: (kind: Kind) => string[]): Check[] {
  const { script, vitest, playwright, buildAll } = runners
  const podman: Check['needs'] = suite === 'release' ? ['podman'] : []
  return [
    { name: 'docker', needs: [...running, ...podman], run: vitest('docker', given('docker')) },
    // The tests of pages take longest, and need the build.
    { name: 'build', needs: ['client'], run: buildAll },
    { name: 'e2e', needs: [...running, 'browser', 'screen', 'build'], run: playwright(given('e2e')) },
    { name: 'server', needs: [...running, 'screen', 'build'], run: vitest('server', given('server')) },
    { name: 'lint', needs: ['client'], run: script('lint') },
    { name: 'types', needs: ['client'], after: ['build'], run: script('types') },
    { name: 'unit', needs: ['client'], run: vitest('unit', given('unit'), ['unit', 'component']) },
    { name: 'db', needs: ['client'], run: vitest('db', given('db')) },
  ]
}

/**
 * The faults at random moments: one check for each file in the release suite, so that an interrupted run continues after the
 * last file. They run alone, because their limits assume a machine that is not busy.
 */
function faultChecks(suite: Suite, { vitest }: Runners, files: readonly string[]): Check[] {
  const needs: Check['needs'] = [...running, 'build']
  if (suite === 'faults') return [{ name: 'faults', needs, run: vitest('faults', [...files]) }]
  const names = files.map((file) => `faults: ${file.replace('.faults.test.ts', '')}`)
  const ordinary = ['docker', 'build', 'e2e', 'server', 'lint', 'types', 'unit', 'db']
  return files.map((file, index) => ({
    name: names[index] ?? file,
    needs,
    after: [...ordinary, ...names.slice(0, index)],
    run: vitest('faults', [file]),
  }))
}

/** The files that a suite runs. */
export function filesOfSuite(
  suite: Suite,
  files: ReadonlyMap<Kind, readonly string[]>,
): Map<Kind, readonly string[]> {
  if (suite === 'release') return new Map(files)
  const kept = [...files].flatMap(([kind, paths]): [Kind, readonly string[]][] => {
    const own =
      suite === 'faults'
        ? paths.filter(() => kind === 'faults')
        : paths.filter((path) => !isReleaseOnly(path))
    return own.length > 0 ? [[kind, own]] : []
  })
  return new Map(kept)
}
