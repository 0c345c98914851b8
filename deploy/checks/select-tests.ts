import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Directories without tests of gpuq. */
const skipped = new Set(['node_modules', '.next', 'dist', '.git', 'data', 'test-results'])

/** The kinds of tests, by the names of their files. The first match counts. */
const kinds = [
  ['e2e', /^e2e\/.*\.spec\.ts$/],
  ['docker', /\.docker\.test\.ts$/],
  ['faults', /\.faults\.test\.ts$/],
  ['db', /\.db\.test\.ts$/],
  ['unit', /\.test\.tsx?$/],
] as const

/** The kind of a test file. The path is relative to the root. */
export function kindOf(path: string): (typeof kinds)[number][0] | undefined {
  return kinds.find(([, pattern]) => pattern.test(path))?.[0]
}

/** The test files whose path contains one of the patterns, by kind. Without patterns: all test files. */
export function selectTests(root: string, patterns: readonly string[]): Map<string, string[]> {
  const selected = new Map<string, string[]>()
  for (const path of listFiles(root, root)) {
    const kind = kindOf(path)
    if (kind === undefined) continue
    if (patterns.length > 0 && !patterns.some((pattern) => path.includes(pattern))) continue
    selected.set(kind, [...(selected.get(kind) ?? []), path])
  }
  return selected
}

function listFiles(root: string, directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listFiles(root, path)
    return entry.isFile() ? [relative(root, path).split(sep).join('/')] : []
  })
}
