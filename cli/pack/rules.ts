import { lstat, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { indexBesideGitFile, readGitIndex } from '@/lib/contract/archives/rules/git-index'
import { IgnoreRules, type RuleFile, repositoryName } from '@/lib/contract/archives/rules/ignore-rules'
import { type GpuqError, notFound } from '@/lib/contract/errors'
import { describeFileError, errorCode } from '../files'

interface RulesAbove {
  rules: IgnoreRules
  /** The root of the rules: the repository's root, or the directory itself. */
  base: string
}

/**
 * Reads the rules of the repository above a directory. They also apply below the directory, unless they exclude the
 * directory itself.
 * @param names the rule files to read.
 */
export async function readRulesAbove(root: string, names: readonly RuleFile[]): Promise<RulesAbove> {
  // What returns from a job is decided by the rules alone.
  const defaults = names.includes('.gitignore')
  const repository = await findRepository(root)
  if (repository === null || repository === root) return { rules: new IgnoreRules({ defaults }), base: root }
  const rules = new IgnoreRules({ defaults })
  const inside = relative(repository, root).split('/')
  for (const [depth] of inside.entries()) {
    const above = inside.slice(0, depth)
    await addRules(rules, join(repository, ...above), above.join('/'), names)
  }
  const excluded = rules.ignores(`${inside.join('/')}/`)
  const kept = excluded ? new IgnoreRules({ defaults }) : rules
  const base = excluded ? root : repository
  if (defaults) await addTracked(kept, repository, base)
  return { rules: kept, base }
}

/** Adds the rules of one directory. `place` is its path relative to the root of the rules. */
export async function addRules(
  rules: IgnoreRules,
  directory: string,
  place: string,
  names: readonly RuleFile[],
): Promise<void> {
  for (const name of names) {
    const text = await readIfThere(join(directory, name))
    if (text !== null) rules.add(place, name, text.toString('utf8'))
  }
}

/**
 * Adds what git tracks in the repository at a directory, if it is one. Reads git's index: git itself is not needed.
 * @param base the root of the rules; it may be below the directory.
 * @returns false if there is an index that cannot be read.
 */
export async function addTracked(rules: IgnoreRules, directory: string, base: string): Promise<boolean> {
  const path = await findIndex(directory)
  return path === null || addIndex(rules, directory, base, path)
}

async function addIndex(rules: IgnoreRules, directory: string, base: string, path: string): Promise<boolean> {
  const bytes = await readIfThere(path)
  // A new repository has none.
  if (bytes === null) return true
  const index = readGitIndex(bytes)
  if (index === null) return false
  rules.track(...placed(directory, base, index))
  const { sharedIndex } = index
  return (
    sharedIndex === null ||
    addIndex(rules, directory, base, join(dirname(path), `sharedindex.${sharedIndex}`))
  )
}

type Tracked = Parameters<IgnoreRules['track']>

/** The paths as the rules have them: relative to `base`, which is the repository or a directory above or below it. */
function placed(repository: string, base: string, { files, submodules }: Tracked[1]): Tracked {
  const inside = relative(repository, base)
  if (inside === '' || inside.startsWith('..')) return [relative(base, repository), { files, submodules }]
  const below = (paths: readonly string[]) =>
    paths.flatMap((path) => (path.startsWith(`${inside}/`) ? [path.slice(inside.length + 1)] : []))
  return ['', { files: below(files), submodules: below(submodules) }]
}

/** The path of the index: in `.git`, or where the file `.git` of a worktree or submodule points. Null: no repository. */
async function findIndex(directory: string): Promise<string | null> {
  const path = join(directory, repositoryName)
  const there = await lstat(path).catch(() => null)
  if (there === null) return null
  if (!there.isFile()) return join(path, 'index')
  const text = await readIfThere(path)
  const index = text === null ? null : indexBesideGitFile(text.toString('utf8'))
  return index === null ? null : resolve(directory, index)
}

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error))) return null
    throw unreadable(path, error)
  })
}

async function findRepository(start: string): Promise<string | null> {
  for (let directory = start; ; directory = dirname(directory)) {
    const there = await lstat(join(directory, repositoryName)).catch(() => null)
    if (there) return directory
    if (dirname(directory) === directory) return null
  }
}

export function unreadable(path: string, error: unknown): GpuqError {
  return notFound(`Cannot read ${path}: ${describeFileError(error)}.`, { cause: error })
}
