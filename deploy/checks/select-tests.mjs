/** Which test files a run is about. */
import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** Directories without tests of gpuq. */
const skipped = new Set(['node_modules', '.next', 'dist', '.git', 'data', 'test-results'])

/** Which kind of test a file is, told by its name. */
const kinds = /** @type {const} */ ([
  ['e2e', /^e2e\/.*\.spec\.ts$/],
  ['docker', /\.docker\.test\.ts$/],
  ['faults', /\.faults\.test\.ts$/],
  ['db', /\.db\.test\.ts$/],
  ['unit', /\.test\.tsx?$/],
])

/**
 * @param {string} path relative to the root
 * @returns {(typeof kinds)[number][0] | undefined}
 */
export function kindOf(path) {
  return kinds.find(([, pattern]) => pattern.test(path))?.[0]
}

/**
 * The test files of a tree that a pattern is part of, by their kind.
 * @param {string} root
 * @param {string[]} patterns parts of paths; none: all files
 * @returns {Map<string, string[]>}
 */
export function selectTests(root, patterns) {
  /** @type {Map<string, string[]>} */
  const selected = new Map()
  for (const path of listFiles(root, root)) {
    const kind = kindOf(path)
    if (kind === undefined) continue
    if (patterns.length > 0 && !patterns.some((pattern) => path.includes(pattern))) continue
    selected.set(kind, [...(selected.get(kind) ?? []), path])
  }
  return selected
}

/**
 * @param {string} root
 * @param {string} directory
 * @returns {string[]}
 */
function listFiles(root, directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : listFiles(root, path)
    return entry.isFile() ? [relative(root, path).split(sep).join('/')] : []
  })
}
