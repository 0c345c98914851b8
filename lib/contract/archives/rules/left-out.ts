import { visibleText } from '../../text/sanitize-text'
import { type ExclusionRule, repositoryName } from './ignore-rules'

const mostNamed = 5

/** Counts what is not sent, by the rule that excludes it. */
export class LeftOut {
  readonly #files = new Map<string, number>()
  readonly #empty: string[] = []
  readonly #unknown: string[] = []
  #overridable = false
  #exact = true

  /**
   * @param exact false: the directory has more files, which were not counted.
   */
  add(rule: ExclusionRule, files: number, exact = true): void {
    // It is never sent, so nobody misses it.
    if (rule.pattern === repositoryName && rule.file === null) return
    this.#overridable ||= !rule.file?.endsWith('.gpuqignore')
    this.#count(`${rule.pattern} (${rule.file ?? 'default'})`, files)
    this.#exact &&= exact
  }

  /** Adds a socket, a pipe or a device. */
  addSpecial(path: string): void {
    this.#count(`${path} (not a file)`, 1)
  }

  /** Adds a directory without content. Only files and links are sent. */
  addEmptyDirectory(path: string): void {
    this.#empty.push(`${path}/`)
  }

  /** Adds a repository whose index cannot be read: the rules decided also on what git tracks. */
  addUnknownIndex(path: string): void {
    this.#unknown.push(path)
  }

  /** One line for the user; null if everything is sent. */
  describe(): string | null {
    const total = [...this.#files.values()].reduce((sum, files) => sum + files, 0)
    const rules = [...this.#files]
      .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([rule]) => rule)
    const parts: string[] = []
    const more = this.#exact ? '' : 'more than '
    if (total > 0) parts.push(`${more}${counted(total, 'file')}: ${named(rules)}`)
    if (this.#empty.length > 0)
      parts.push(
        `${counted(this.#empty.length, 'empty directory', 'empty directories')}: ${named(this.#empty)}`,
      )
    const sentences = parts.length === 0 ? [] : [`Not sent: ${parts.join('; ')}.`]
    if (this.#overridable && total > 0)
      sentences.push('To send some of them, add a line !NAME to .gpuqignore.')
    if (total > 0 && this.#unknown.length > 0)
      sentences.push(
        `gpuq cannot read the index of ${named(this.#unknown)}, so it does not know what git tracks.`,
      )
    return sentences.length === 0 ? null : visibleText(sentences.join(' '), 1000)
  }

  #count(label: string, files: number): void {
    if (files > 0) this.#files.set(label, (this.#files.get(label) ?? 0) + files)
  }
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

function named(names: readonly string[]): string {
  const rest = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
