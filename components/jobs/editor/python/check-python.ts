import { parser } from '@lezer/python'
import type { Problem } from '../problem'
import { isMissingRule, rewriteMissingRules, type SyntaxNode, type Tree } from './missing-rules'

/**
 * The first syntax error of a program, as a warning: the parser is made for editors and accepts more than Python does.
 * Later errors are mostly consequences of the first.
 */
export function checkPython(code: string): Problem[] {
  const source = rewriteMissingRules(code)
  const mistake = findMistake(parser.parse(source), source)
  return mistake ? [{ ...positionOf(code, mistake.at), message: mistake.message, severity: 'warning' }] : []
}

interface Mistake {
  at: number
  message: string
}

function findMistake(tree: Tree, source: string): Mistake | null {
  let found: Mistake | null = null
  tree.iterate({
    enter({ type, from, node }) {
      if (found) return false
      if (type.isError) found = isMissingRule(node, source) ? null : describeError(tree, node, source)
      else if (isString(node) && !isClosed(source.slice(node.from, node.to)))
        found = { at: from, message: 'this quote is never closed' }
      else if (type.name === 'PrintStatement' && /^print\s*["'\w]/.test(source.slice(from, node.to)))
        found = { at: from, message: 'write print(…) with parentheses: this is Python 2' }
      return true
    },
  })
  return found
}

function describeError(tree: Tree, error: SyntaxNode, source: string): Mistake {
  const bracket = findOpenBracket(tree, error.from)
  if (bracket) return { at: bracket.from, message: 'this bracket is never closed' }
  // What is missing before a line belongs to the end of the line before it.
  const at = error.from === error.to ? source.slice(0, error.from).trimEnd().length : error.from
  return { at, message: 'Python cannot read this: look for a missing colon, comma, operator or indentation' }
}

const closingBrackets = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])

/** The last bracket before an offset that has no partner. */
function findOpenBracket(tree: Tree, before: number): SyntaxNode | null {
  let open: SyntaxNode | null = null
  tree.iterate({
    to: before,
    enter({ name, node, from }) {
      const closing = closingBrackets.get(name)
      if (closing && from < before && !node.parent?.getChild(closing)) open = node
    },
  })
  return open
}

function isString({ name }: SyntaxNode): boolean {
  return name === 'String' || name === 'FormatString'
}

/** The parser ends a string without a closing quote at the end of the line, or of the program, without an error. */
function isClosed(text: string): boolean {
  const [, prefix = '', quote = ''] = /^([a-z]*)("""|'''|"|')/i.exec(text) ?? []
  const content = text.slice(prefix.length + quote.length)
  if (!content.endsWith(quote)) return false
  const backslashes = /\\*$/.exec(content.slice(0, -quote.length))?.[0].length ?? 0
  return backslashes % 2 === 0
}

/** The line and column of an offset, from 1. */
function positionOf(code: string, offset: number): { line: number; column: number } {
  const before = code.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
