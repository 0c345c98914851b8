import ignore from 'ignore'

/** Read in each directory. Later files override earlier ones. */
export const ruleFiles = ['.gitignore', '.gpuqignore'] as const
export type RuleFile = (typeof ruleFiles)[number]

/** Never uploaded, in any directory. No rule can include it again. */
export const repositoryName = '.git'

/** Why a path is excluded. */
export interface ExclusionRule {
  /** As it is written in the file. */
  pattern: string
  /** The path of the rules file; null: a default rule of gpuq. */
  file: string | null
  /** Counted from 1; null without a file. */
  line: number | null
}

const defaultRule: ExclusionRule = { pattern: repositoryName, file: null, line: null }

/**
 * Decides which paths are excluded, by the rules of a directory and its subdirectories. As in git, the rules
 * of a deeper directory apply only below it and come later, and the last matching rule wins.
 */
export class IgnoreRules {
  readonly #rules = ignore({ ignorecase: false })
  /** The library returns a mark with the rule that matches: the index of the rule in this list. */
  readonly #added: ExclusionRule[] = []

  /** Adds the text of a rules file in `directory`. `''` is the root of all paths. */
  add(directory: string, name: RuleFile, text: string): void {
    const file = directory === '' ? name : `${directory}/${name}`
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
    for (const [index, line] of lines.entries()) {
      const pattern = below(directory, line)
      if (pattern === null) continue
      this.#rules.add({ pattern, mark: String(this.#added.length) })
      this.#added.push({ pattern: line.trim(), file, line: index + 1 })
    }
  }

  /** Whether a file is excluded. With a trailing slash: a directory with all its content. */
  ignores(path: string): boolean {
    return this.explain(path) !== null
  }

  /** The rule that excludes a path, or the directory that it is in; null if it is not excluded. */
  explain(path: string): ExclusionRule | null {
    if (path.split('/').includes(repositoryName)) return defaultRule
    const { ignored, rule } = this.#rules.test(path)
    return ignored ? (this.#added[Number(rule?.mark)] ?? null) : null
  }
}

/** Rewrites a rule for the root directory. Null if the line is not a rule. */
function below(directory: string, line: string): string | null {
  if (line.trim() === '' || line.startsWith('#')) return null
  if (directory === '') return line
  const negated = line.startsWith('!')
  const pattern = line.slice(negated ? 1 : 0)
  // A slash anchors the rule to its own directory, unless it is the last character.
  const tied = pattern.replace(/\/\s*$/, '').includes('/')
  const place = tied ? `/${pattern.replace(/^\//, '')}` : `/**/${pattern}`
  return `${negated ? '!' : ''}/${escapeGlob(directory)}${place}`
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}
