import { parentsOf } from '../archive-manifest'
import { matchesPattern, mayMatchBelow, type Pattern, parsePattern } from './pattern'

/** Read in each directory. */
export const ruleFiles = ['.gitignore', '.gpuqignore'] as const
export type RuleFile = (typeof ruleFiles)[number]

/** Never uploaded, in any directory. No rule can include it again. */
export const repositoryName = '.git'

/** Left out unless git tracks them, or a rule with `!` names them: what a machine can make again, and secrets. */
export const defaultPatterns = [
  '.venv',
  '__pycache__',
  'node_modules',
  '.env',
  '.env.local',
  '.env.*.local',
] as const

/** Why a path is excluded. */
export interface ExclusionRule {
  /** As it is written in the file. */
  pattern: string
  /** The path of the rules file; null: a default rule of gpuq. */
  file: string | null
  /** Counted from 1; null without a file. */
  line: number | null
}

/** Whether a path is sent. */
export interface Verdict {
  /** Null: it is sent. */
  rule: ExclusionRule | null
  /** Nothing below the directory is sent, whatever git tracks and other rules say. */
  final: boolean
}

const sent: Verdict = { rule: null, final: false }
const repository: Verdict = { rule: { pattern: repositoryName, file: null, line: null }, final: true }

type Rule = Pattern & ExclusionRule

/**
 * Decides which files of a directory are sent. In this order, the first that says something decides: `.gpuqignore`, then what git
 * tracks (it is sent), then `.gitignore`, then the defaults. As in git, the rules of a deeper directory come before those above it,
 * and the last matching rule of a file wins. A file below an excluded directory is sent only if git tracks it, or
 * `.gpuqignore` includes its path.
 */
export class IgnoreRules {
  /** By the directory of the rules file. */
  readonly #rules = new Map<string, Record<RuleFile, Rule[]>>()
  readonly #defaults: readonly Rule[]
  /** In the composed form of Unicode, because macOS may list the same name in another form. */
  readonly #tracked = new Set<string>()
  readonly #trackedDirectories = new Set<string>()

  /** @param defaults false: only the rules that are added apply. */
  constructor({ defaults = true }: { defaults?: boolean } = {}) {
    this.#defaults = defaults ? defaultPatterns.flatMap((text) => toRule(text, null, null)) : []
  }

  /** Adds the text of a rules file in `directory`. `''` is the root of all paths. */
  add(directory: string, name: RuleFile, text: string): void {
    const file = directory === '' ? name : `${directory}/${name}`
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
    const rules = lines.flatMap((line, index) => toRule(line, file, index + 1))
    const known = this.#rules.get(directory) ?? { '.gitignore': [], '.gpuqignore': [] }
    this.#rules.set(directory, { ...known, [name]: rules })
  }

  /** Adds what the index of the repository in `directory` tracks. */
  track(
    directory: string,
    { files, submodules }: { files: readonly string[]; submodules: readonly string[] },
  ): void {
    const place = (path: string) => composed(directory === '' ? path : `${directory}/${path}`)
    for (const file of files) this.#tracked.add(place(file))
    for (const path of [...files, ...submodules.map((name) => `${name}/`)]) {
      const whole = place(path)
      for (let at = whole.lastIndexOf('/'); at > 0; at = whole.lastIndexOf('/', at - 1)) {
        const parent = whole.slice(0, at)
        if (this.#trackedDirectories.has(parent)) break
        this.#trackedDirectories.add(parent)
      }
    }
  }

  /** The verdict on a path whose directory has the verdict `above`. */
  judge(path: string, isDirectory: boolean, above: Verdict = sent): Verdict {
    if (path === repositoryName || path.endsWith(`/${repositoryName}`)) return repository
    if (above.final) return above
    const found = this.#find(path, isDirectory)
    if (found?.file?.endsWith('.gpuqignore')) {
      if (!found.negated) return { rule: shown(found), final: true }
      // As in git, a name alone does not bring a file back whose directory is excluded.
      if (above.rule === null || found.anchored) return sent
    }
    if (!isDirectory && this.#tracked.has(composed(path))) return sent
    if (above.rule !== null) return above
    return found === null || found.negated ? sent : { rule: shown(found), final: false }
  }

  /** Whether a directory with this verdict may have files that are sent. */
  mayEnter(directory: string, { rule, final }: Verdict): boolean {
    if (rule === null || final) return rule === null
    if (this.#trackedDirectories.has(composed(directory))) return true
    const names = directory.split('/')
    return this.#directoriesOf(names).some(({ rules, depth }) =>
      rules['.gpuqignore'].some((rule) => rule.negated && mayMatchBelow(rule, names.slice(depth))),
    )
  }

  /** Whether the rules files of a directory count, because it or something below it may be sent. */
  reaches(directory: string): boolean {
    let verdict = sent
    return pathsTo(directory).every((path) => {
      verdict = this.judge(path, true, verdict)
      return this.mayEnter(path, verdict)
    })
  }

  /** Whether a file is excluded. With a trailing slash: a directory. */
  ignores(path: string): boolean {
    return this.explain(path) !== null
  }

  /** The rule that excludes a path, or the directory that it is in; null if it is not excluded. */
  explain(path: string): ExclusionRule | null {
    const whole = path.replace(/\/$/, '')
    const verdictOf = (above: Verdict, part: string) =>
      this.judge(part, part !== whole || path !== whole, above)
    return pathsTo(whole).reduce(verdictOf, sent).rule
  }

  /** The rule that decides on a path, by its own name alone. */
  #find(path: string, isDirectory: boolean): Rule | null {
    const names = path.split('/')
    const directories = this.#directoriesOf(names)
    for (const name of ['.gpuqignore', '.gitignore'] as const) {
      for (const { rules, depth } of directories) {
        const found = findLast(rules[name], names.slice(depth), isDirectory)
        if (found !== undefined) return found
      }
    }
    return findLast(this.#defaults, names, isDirectory) ?? null
  }

  /** The rules of the directories above a path, the deepest first. */
  #directoriesOf(names: readonly string[]): { rules: Record<RuleFile, Rule[]>; depth: number }[] {
    const found: { rules: Record<RuleFile, Rule[]>; depth: number }[] = []
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const rules = this.#rules.get(names.slice(0, depth).join('/'))
      if (rules !== undefined) found.push({ rules, depth })
    }
    return found
  }
}

function findLast(rules: readonly Rule[], names: readonly string[], isDirectory: boolean): Rule | undefined {
  return rules.findLast((rule) => (isDirectory || !rule.onlyDirectories) && matchesPattern(rule, names))
}

function toRule(text: string, file: string | null, line: number | null): Rule[] {
  const pattern = parsePattern(text)
  return pattern === null ? [] : [{ ...pattern, pattern: text.trim(), file, line }]
}

function shown({ pattern, file, line }: Rule): ExclusionRule {
  return { pattern, file, line }
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function pathsTo(path: string): string[] {
  return path === '' ? [] : [...parentsOf(path), path]
}

function composed(path: string): string {
  return path.normalize('NFC')
}
