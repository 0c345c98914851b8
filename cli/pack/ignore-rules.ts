import ignore from 'ignore'

/** Read in each directory, the later above the earlier: what git leaves out, and what else is not to be shipped. */
export const ruleFiles = ['.gitignore', '.gpuqignore'] as const

/**
 * Which paths are left out, by the rules of a directory and of those below it. The rules of a deeper directory stand
 * behind those above it, each for its own part only, and the last rule that fits a path decides: as git does.
 */
export class IgnoreRules {
  readonly #rules = ignore({ ignorecase: false })

  /** Adds the text of a rules file that lies in `directory`; `''` is the one where all paths begin. */
  add(directory: string, text: string): void {
    const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
    this.#rules.add(lines.flatMap((line) => below(directory, line) ?? []))
  }

  /** Whether a file is left out, or with a slash at its end a directory with all that is in it. */
  ignores(path: string): boolean {
    return this.#rules.ignores(path)
  }
}

/** A rule as it would be written in the first directory; null where the line is no rule. */
function below(directory: string, line: string): string | null {
  if (line.trim() === '' || line.startsWith('#')) return null
  if (directory === '') return line
  const negated = line.startsWith('!')
  const pattern = line.slice(negated ? 1 : 0)
  // Only a slash that is not the last character ties a rule to its own directory.
  const tied = pattern.replace(/\/\s*$/, '').includes('/')
  const place = tied ? `/${pattern.replace(/^\//, '')}` : `/**/${pattern}`
  return `${negated ? '!' : ''}/${escapeGlob(directory)}${place}`
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&')
}
