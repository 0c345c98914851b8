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

/** Nodes of a program that are read before other work runs. */
const nodesTogether = 2_000

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
  const cursor = tree.cursor()
  for (let nodes = 1, entered = true; nodes === 1 || cursor.next(entered); nodes += 1) {
    if (nodes % nodesTogether === 0) await turn()
    const { name, from, to } = cursor
    const kind = kinds.get(name)
    entered = kind === undefined && !ignored.has(name)
    // A text that is a statement of its own is a docstring.
    if (kind !== undefined && (kind !== 'text' || cursor.node.parent?.name !== 'ExpressionStatement'))
      add(`<${kind}>`, from)
    else if (entered && to > from && cursor.node.firstChild === null) add(source.slice(from, to), from)
  }
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
