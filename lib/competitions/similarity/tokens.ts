import { parser } from '@lezer/python'
import type { Turn } from './turn'

/** A program as numbers: equal ones for tokens that mean the same, with the line of each. */
export interface Tokens {
  codes: number[]
  lines: number[]
}

/** Names and literals, which people replace to hide that they copied. */
const kinds = new Map([
  ['VariableName', 'name'],
  ['PropertyName', 'name'],
  ['Number', 'number'],
  ['Boolean', 'name'],
  ['String', 'text'],
  ['FormatString', 'text'],
  ['ContinuedString', 'text'],
])

/** What can be added or removed without another effect. Imports are alike in all programs. */
const ignored = new Set(['Comment', 'TypeDef', 'ImportStatement'])

/** Reads a program. One that is no Python has as many tokens as the parser finds in it. */
export async function readTokens(source: string, turn: Turn): Promise<Tokens> {
  const parse = parser.startParse(source)
  let tree = parse.advance()
  for (let steps = 1; tree === null; steps += 1) {
    if (steps % 100 === 0) await turn()
    tree = parse.advance()
  }
  const codes: number[] = []
  const lines: number[] = []
  let [line, at] = [1, 0]
  const add = (text: string, from: number) => {
    for (; at < from; at += 1) if (source.charCodeAt(at) === newline) line += 1
    codes.push(hashText(text))
    lines.push(line)
  }
  tree.iterate({
    enter({ name, from, to, node }) {
      if (ignored.has(name)) return false
      const kind = kinds.get(name)
      if (kind === undefined) {
        if (node.firstChild === null && to > from) add(source.slice(from, to), from)
        return true
      }
      // A text that is a statement of its own is a docstring.
      if (kind !== 'text' || node.parent?.name !== 'ExpressionStatement') add(`<${kind}>`, from)
      return false
    },
  })
  return { codes, lines }
}

const newline = 10

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
