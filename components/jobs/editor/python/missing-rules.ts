import type { parser } from '@lezer/python'

export type Tree = ReturnType<typeof parser.parse>
export type SyntaxNode = Tree['topNode']

/*
 * Valid Python that the grammar of the parser does not know. Some of it is rewritten to text of the same length that the
 * parser knows. The rest causes an error of a known shape, which is ignored.
 */

/** Replaces valid Python that confuses the parser. Every offset keeps its meaning. */
export function rewriteMissingRules(code: string): string {
  const source = code
    // Page breaks and a byte order mark.
    .replace(/[\f\ufeff]/g, ' ')
    // The number `1.`
    .replace(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/g, '$10')
    // `a[*b]`, `for *a, b in *c, d:` and `*args: *Ts`.
    .replace(/([[,]\s*|:[ \t]*|\b(?:for|in)\s+)\*(?=[\w([])/g, '$1 ')
    // `lambda a, /, b:` and `lambda a,:`.
    .replace(/\blambda\b[^:\n]*(?=:)/g, (head) => head.replace(/,\s*\/(?=\s*(?:,|$))|,(?=\s*$)/g, toSpaces))
    // `f"{x:=10}"`
    .replace(/(\{[\w.]+:)=/g, '$1 ')
    // `rf"\{{"`
    .replace(/\\(?=[{}])/g, ' ')
    // `t"{x}"` of Python 3.14.
    .replace(/(?<![\w"'])t(?=["'])/gi, 'f')
  return rewriteWithTargets(source)
}

function toSpaces(text: string): string {
  return ' '.repeat(text.length)
}

const withStart = /^[ \t]*(?:async[ \t]+)?with\b/gm
const withToken = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#.*|\bas\b|[()[\]{}:]/g

/**
 * In the header of a `with` statement, writes a comma instead of `as`: the parser knows neither `with (a as b):` nor a
 * target such as `(a, b)`.
 */
function rewriteWithTargets(source: string): string {
  const targets: number[] = []
  for (const { 0: start, index } of source.matchAll(withStart)) {
    let depth = 0
    withToken.lastIndex = index + start.length
    for (let token = withToken.exec(source); token; token = withToken.exec(source)) {
      if (token[0] === ':' && depth === 0) break
      if (token[0] === 'as') targets.push(token.index)
      else if (/[([{]/.test(token[0].charAt(0))) depth++
      else if (/[)\]}]/.test(token[0].charAt(0))) depth--
      // Not a header, such as a line of a text that begins with "with".
      if (depth < 0) break
    }
  }
  const pieces: string[] = []
  let end = 0
  for (const target of targets) {
    // A line of a text may be inside the header before it.
    if (target < end) continue
    pieces.push(source.slice(end, target), ', ')
    end = target + 2
  }
  return pieces.join('') + source.slice(end)
}

/** Whether an error is caused by valid Python that the grammar does not know. */
export function isMissingRule({ from, to, parent }: SyntaxNode, source: string): boolean {
  switch (parent?.name) {
    case 'YieldStatement':
    case 'YieldExpression':
      // A `yield` without a value.
      return from === to && source.slice(parent.from, from).trim() === 'yield'
    case 'LiteralPattern':
    case 'PatternArgList':
    case 'MappingPattern':
    case 'SequencePattern':
      // `case Point():` and `case {}:`
      return /[([{]\s*$/.test(source.slice(parent.from - 1, from)) && /^\s*[)\]}]/.test(source.slice(from))
    case 'Decorator':
    case 'DecoratedStatement':
      // `@table[0]`
      return true
    default:
      return false
  }
}
