import ignore from 'ignore'

/** Read in each directory. Later files override earlier ones. */
export const ruleFiles = ['.gitignore', '.gpuqignore'] as const

/**
 * Decides which paths are excluded, by the rules of a directory and its subdirectories. As in git, the rules
 * of a deeper directory apply only below it and come later, and the last matching rule wins.
 */
export class IgnoreRules {
  readonly #rules = ignore({ ignorecase: false })

  /** Adds the text of a rules file in `directory`. `''` is the root of all paths. */
  add(directory: string, text: string): void {
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
    this.#rules.add(lines.flatMap((line) => below(directory, line) ?? []))
  }

  /** Whether a file is excluded. With a trailing slash: a directory with all its content. */
  ignores(path: string): boolean {
    return this.#rules.ignores(path)
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
