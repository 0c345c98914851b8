import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Directories without tests of gpuq. */
const skipped = new Set(['node_modules', '.next', 'dist', '.git', 'data', 'test-results'])

/** The kinds of tests, by the names of their files. The first match counts. */
const kinds = [
  ['e2e', /^e2e\/.*\.spec\.ts$/],
  ['server', /^e2e\/.*\.(server|release)\.test\.ts$/],
  ['docker', /\.(docker|release)\.test\.ts$/],
  ['faults', /\.faults\.test\.ts$/],
  ['db', /\.db\.test\.ts$/],
  ['unit', /\.test\.tsx?$/],
] as const

export type Kind = (typeof kinds)[number][0]

/** The kind of a test file. The path is relative to the root. */
export function kindOf(path: string): Kind | undefined {
  return kinds.find(([, pattern]) => pattern.test(path))?.[0]
}

/** Whether only `npm run test:release` runs the test file, because it repeats a guarantee. */
export function isReleaseOnly(path: string): boolean {
  return /\.(release|faults)\.(test|spec)\.ts$/.test(path)
}

/** Groups test files by their kind. */
export function groupByKind(paths: readonly string[]): Map<Kind, string[]> {
  const groups = new Map<Kind, string[]>()
  for (const path of paths) {
    const kind = kindOf(path)
    if (kind !== undefined) groups.set(kind, [...(groups.get(kind) ?? []), path])
  }
  return groups
}

/** The test files whose path contains one of the patterns, by kind. Without patterns: all test files. */
export function selectTests(root: string, patterns: readonly string[]): Map<Kind, string[]> {
  const matches = (path: string) => patterns.length === 0 || patterns.some((each) => path.includes(each))
  return groupByKind(listFiles(root, root).filter(matches))
}

function listFiles(root: string, directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listFiles(root, path)
    return entry.isFile() ? [relative(root, path).split(sep).join('/')] : []
  })
}
