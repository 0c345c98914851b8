import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Entry, isLink } from '@/lib/contract/archives/archive-manifest'
import { refusePath } from '@/lib/contract/archives/archive-paths'
import { IgnoreRules } from '@/lib/contract/archives/rules/ignore-rules'

/** Only these rules apply to files that return: a .gitignore usually excludes the logs that people wait for. */
const returnRuleFile = '.gpuqignore'

/**
 * Returns whether a file of a working directory returns to the user. The rules are those of the uploaded directory,
 * which the job cannot change.
 * @param directory the uploaded directory on this host.
 */
export async function readReturnRules(
  directory: string,
  uploaded: readonly Entry[],
): Promise<(path: string) => boolean> {
  const rules = new IgnoreRules({ defaults: false })
  for (const entry of uploaded) {
    const parent = dirname(entry.path)
    if (isLink(entry) || join(parent, returnRuleFile) !== entry.path) continue
    rules.add(
      parent === '.' ? '' : parent,
      returnRuleFile,
      await readFile(join(directory, entry.path), 'utf8'),
    )
  }
  return (path) => refusePath(path) === null && !rules.ignores(path)
}
