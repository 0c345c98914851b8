import { repositoryName, ruleFiles } from '@/lib/contract/archives/rules/ignore-rules'

/** Whether a path is, or is below, a file whose rules decide what is sent from here. A job must not change these rules. */
export function isRuleFile(path: string): boolean {
  return namesOf(path).some((name) => ruleFiles.some((rule) => rule === name) || shortRuleName.test(name))
}

/** Whether a path is in a repository of git: a hook there runs on this machine. */
export function isInRepository(path: string): boolean {
  return namesOf(path).some((name) => name === repositoryName || name === 'git~1')
}

/** Why a file of a job is not saved in a directory of the user; null: it may be. */
export function whyKeptBack(path: string): string | null {
  if (isRuleFile(path)) return 'its rules would decide what is sent from here'
  return isInRepository(path) ? 'git would run what it says on this machine' : null
}

/** Short names of Windows for the rule files. */
const shortRuleName = /^(gitign|gpuqig)~\d+$/

/**
 * The names of a path, such that two names are equal if any file system takes them for the same: some ignore case, invisible
 * characters, forms of Unicode, and dots and spaces at the end.
 */
function namesOf(path: string): string[] {
  return path.split('/').map((name) =>
    name
      .normalize('NFKC')
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/[. ]+$/, '')
      .toUpperCase()
      .toLowerCase(),
  )
}
