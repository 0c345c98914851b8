/** Which tests `npm test -- --changed` runs. */
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { runCommand } from '../run/processes.mjs'
import { root } from '../run/settings.mjs'
import { groupByKind, isReleaseOnly, type Kind, kindOf, selectTests } from './select-tests'

/** The kinds whose tests start programs: which code they reach cannot be read from their imports. */
const startsPrograms = new Set<Kind>(['docker', 'server', 'e2e'])
/** Names of folders that say nothing about a feature. */
const general = new Set([
  'app',
  'api',
  'lib',
  'components',
  'worker',
  'cli',
  'e2e',
  'deploy',
  'testing',
  'ui',
])

/**
 * The tests that a change can affect, by kind: those that import a changed file, and container, server and browser tests
 * beside a changed file or named after its folder.
 * @param base the commit to which the files are compared
 * @param changed the changed files, relative to the root
 */
export async function testsOfChange(
  base: string,
  changed: readonly string[],
  signal: AbortSignal,
): Promise<Map<Kind, string[]>> {
  const importing = [...(await importingVitest(base, signal)), ...(await importingPlaywright(base, signal))]
  const all = [...selectTests(root, []).values()].flat()
  const chosen = new Set([...importing, ...all.filter((test) => isNamedAfter(test, changed))])
  return groupByKind([...chosen].filter((path) => !isReleaseOnly(path)).sort())
}

/** Whether a test that starts programs lies beside a changed file, or is named after one of its folders. */
export function isNamedAfter(test: string, changed: readonly string[]): boolean {
  const kind = kindOf(test)
  if (kind === undefined || !startsPrograms.has(kind)) return false
  const [name = ''] = test.slice(dirname(test).length + 1).split('.')
  return changed.some((path) => {
    if (path === test) return true
    if (kindOf(path) !== undefined || !/\.(ts|tsx|mjs|py|sql)$/.test(path)) return false
    const folder = dirname(path)
    const features = folder.split('/').filter((part) => !general.has(part))
    return (kind === 'docker' && dirname(test) === folder && features.length > 0) || features.includes(name)
  })
}

/** Has a program write a list of test files as JSON, and reads it. */
async function listBy(program: string, args: string[], env: Record<string, string>, signal: AbortSignal) {
  await runCommand(process.execPath, [join(root, 'node_modules', program), ...args], {
    label: program,
    cwd: root,
    env: { ...process.env, ...env },
    signal,
    onLine: () => {},
  })
}

async function importingVitest(base: string, signal: AbortSignal): Promise<string[]> {
  const list = join(tmpdir(), `gpuq-changed-tests-${process.pid}.json`)
  try {
    const args = ['list', '--filesOnly', `--json=${list}`, '--changed', base, '--project', '!faults']
    await listBy('vitest/vitest.mjs', args, {}, signal)
    const found: { file: string }[] = JSON.parse(readFileSync(list, 'utf8'))
    return [...new Set(found.map(({ file }) => toPath(file)))]
  } finally {
    rmSync(list, { force: true })
  }
}

async function importingPlaywright(base: string, signal: AbortSignal): Promise<string[]> {
  const list = join(tmpdir(), `gpuq-changed-specs-${process.pid}.json`)
  try {
    const args = ['test', '--list', '--reporter=json', `--only-changed=${base}`, '--pass-with-no-tests']
    await listBy('@playwright/test/cli.js', args, { PLAYWRIGHT_JSON_OUTPUT_FILE: list }, signal)
    const { suites = [] }: { suites?: { file: string }[] } = JSON.parse(readFileSync(list, 'utf8'))
    return [...new Set(suites.map(({ file }) => `e2e/${file}`))]
  } finally {
    rmSync(list, { force: true })
  }
}

const toPath = (file: string) => relative(root, file).split(sep).join('/')
