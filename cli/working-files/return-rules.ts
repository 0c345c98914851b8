import { join, relative } from 'node:path'
import { parentsOf } from '@/lib/contract/archives/archive-manifest'
import { refusePath } from '@/lib/contract/archives/archive-paths'
import { addRules, readRulesAbove } from '../pack/rules'
import { isInRepository } from '../received/kept-back'

/** A .gitignore does not apply: it usually excludes the logs that people wait for. */
const returnRuleFiles = ['.gpuqignore'] as const

/** Returns whether a file of a job may be written below a directory, by the rules there now. */
export async function readReturnRules(
  root: string,
  paths: readonly string[],
): Promise<(path: string) => boolean> {
  const { rules, base } = await readRulesAbove(root, returnRuleFiles)
  const inside = paths.filter((path) => refusePath(path) === null)
  const directories = new Set(['', ...inside.flatMap(parentsOf)])
  for (const directory of [...directories].toSorted()) {
    const full = join(root, directory)
    await addRules(rules, full, relative(base, full), returnRuleFiles)
  }
  return (path) => !isInRepository(path) && !rules.ignores(relative(base, join(root, path)))
}
