/** The worked examples of CONTRIBUTING.md, and what each changes. */

/** A block of code that names its file: a new file, or a change of one that exists. */
export interface Change {
  file: string
  kind: 'new' | 'diff'
  text: string
}

export interface WorkedExample {
  title: string
  changes: Change[]
  /** The files and folders that its text names. */
  named: string[]
}

const block = /^( *)```(?<language>\w+) (?<file>\S+)\n(?<code>[\s\S]*?)^ *```$/gm
const someBlock = /^ *```[\s\S]*?^ *```$/gm
const path = /`((?:app|cli|components|deploy|docs|e2e|lib|prisma|worker)\/[^`\s]*)`/g

/** Reads the sections below "Worked examples". Code of a list has the indentation of its item, which is removed. */
export function readExamples(markdown: string): WorkedExample[] {
  const [, part = ''] = /^## Worked examples\n([\s\S]*?)^## /m.exec(markdown) ?? []
  const [, ...sections] = part.split(/^### /m)
  return sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    changes: Array.from(section.matchAll(block), ({ 1: indent = '', groups = {} }) => ({
      file: groups.file ?? '',
      kind: groups.language === 'diff' ? 'diff' : 'new',
      text: (groups.code ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    })),
    named: Array.from(section.replaceAll(someBlock, '').matchAll(path), ([, name = '']) => name),
  }))
}

/**
 * Applies a diff without line numbers: lines that begin with a space or `-` must be in the text once, one after another.
 * @throws if they are not.
 */
export function applyDiff(text: string, diff: string): string {
  const lines = diff.split('\n').filter((line) => line !== '')
  const wrong = lines.find((line) => !/^[ +-]/.test(line))
  if (wrong !== undefined)
    throw new Error(`A line of the diff begins with none of " ", "+" and "-": ${wrong}`)
  const without = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const before = without('+')
  const places = `\n${text}`.split(`\n${before}`).length - 1
  if (places !== 1) throw new Error(`The file has these lines ${places} times:\n${before}`)
  return `\n${text}`.replace(`\n${before}`, () => `\n${without('-')}`).slice(1)
}
