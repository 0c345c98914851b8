import { lstat, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { IgnoreRules, type RuleFile } from '@/lib/contract/archives/ignore-rules'
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
  const repository = await findRepository(root)
  if (repository === null || repository === root) return { rules: new IgnoreRules(), base: root }
  const rules = new IgnoreRules()
  const inside = relative(repository, root).split('/')
  for (const [depth] of inside.entries()) {
    const above = inside.slice(0, depth)
    await addRules(rules, join(repository, ...above), above.join('/'), names)
  }
  const excluded = rules.ignores(`${inside.join('/')}/`)
  return excluded ? { rules: new IgnoreRules(), base: root } : { rules, base: repository }
}

/** Adds the rules of one directory. `place` is its path relative to the root of the rules. */
export async function addRules(
  rules: IgnoreRules,
  directory: string,
  place: string,
  names: readonly RuleFile[],
): Promise<void> {
  for (const name of names) {
    const text = await readFile(join(directory, name), 'utf8').catch((error: unknown) => {
      if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error))) return null
      throw unreadable(join(directory, name), error)
    })
    if (text !== null) rules.add(place, name, text)
  }
}

async function findRepository(start: string): Promise<string | null> {
  for (let directory = start; ; directory = dirname(directory)) {
    const there = await lstat(join(directory, '.git')).catch(() => null)
    if (there) return directory
    if (dirname(directory) === directory) return null
  }
}

export function unreadable(path: string, error: unknown): GpuqError {
  return notFound(`Cannot read ${path}: ${describeFileError(error)}.`, { cause: error })
}
