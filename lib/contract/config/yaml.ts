import { Composer, type Document, Lexer, LineCounter, Parser, Scalar, visit, type YAMLError } from 'yaml'
import type { FieldError } from '../errors'
import { describeOddSpace } from '../text/odd-spaces'
import { type Mistake, toYamlValue, type YamlMapping } from './tree'
import { describeYamlError, isOpenQuote } from './yaml-errors'

/** The 1-based line and column of an offset. */
export type PlaceOf = (offset: number) => { line: number; column: number }

export type ReadYaml = { ok: true; root: YamlMapping; placeOf: PlaceOf } | { ok: false; errors: FieldError[] }

/**
 * Limits that no real config reaches. They are checked while reading: with a few thousand levels, the library recurses
 * until V8 aborts the process, and tens of thousands of mistakes take half a second.
 */
const maxDepth = 32
export const maxLexemes = 10_000

/** One mistake causes others. This number is enough to start with. */
const maxErrors = 5

const everyControlButSpaces = /[^\P{Cc}\t\n\r\u0085]/u

/** Reads one YAML 1.2 document that contains a mapping. Refuses tags, anchors, aliases and a second document. */
export function readYaml(text: string, mostLexemes = maxLexemes): ReadYaml {
  const lines = new LineCounter()
  const placeOf: PlaceOf = (offset) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const parsed = parse(text, lines, mostLexemes)
  const mistakes = 'mistakes' in parsed ? parsed.mistakes : mistakesOf(parsed.document, text)
  if ('document' in parsed && mistakes.length === 0) {
    const root = toYamlValue(parsed.document.contents, 0, mistakes)
    if (root.kind === 'mapping' && mistakes.length === 0) return { ok: true, root, placeOf }
    if (root.kind === 'list')
      mistakes.push({ offset: root.offset, message: 'write `key: value` lines, not a list' })
    if (root.kind === 'scalar') {
      const empty = root.value === null
      mistakes.push({
        offset: root.offset,
        message: empty
          ? 'the config is empty'
          : 'write `key: value` lines: there must be a space after each colon',
      })
    }
  }
  return { ok: false, errors: toErrors(mistakes, placeOf) }
}

function parse(
  text: string,
  lines: LineCounter,
  mostLexemes: number,
): { document: Document.Parsed } | { mistakes: Mistake[] } {
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const refuse = (offset: number, message: string) => ({ mistakes: [{ offset, message }] })
  const tokens = []
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    lexemes++
    if (parser.stack.length > maxDepth) return refuse(parser.offset, `nested deeper than ${maxDepth} levels`)
    if (lexemes > mostLexemes)
      return refuse(parser.offset, 'the config has far more entries than any job needs')
  }
  tokens.push(...parser.end())
  const control = text.search(everyControlButSpaces)
  if (control !== -1) {
    const code = text.charCodeAt(control).toString(16).toUpperCase().padStart(4, '0')
    return refuse(control, `remove the control character U+${code}`)
  }
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The check of the keys finds repeated ones and knows their names. The library needs quadratic time.
    uniqueKeys: false,
  })
  const [document, second] = composer.compose(tokens, true, text.length)
  if (document === undefined) return refuse(0, 'the config is empty')
  if (second !== undefined) return refuse(second.range[0], 'a second document begins here: leave only one')
  if (document.directives?.yaml.version === '1.1') return refuse(0, 'write YAML 1.2: remove the %YAML line')
  return { document: document as Document.Parsed }
}

function mistakesOf(document: Document.Parsed, text: string): Mistake[] {
  // The library only warns about unknown tags.
  const found: YAMLError[] = [...document.errors, ...document.warnings]
  return found.map((error) => {
    const [end] = error.pos
    const offset = isOpenQuote(error) ? startOfQuote(document, end) : end
    return { offset, message: describeOddSpace(lineAt(text, offset)) ?? describeYamlError(error) }
  })
}

/** The line of an offset, without the comment at its end. */
function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return (
    text
      .slice(start)
      .split('\n', 1)[0]
      ?.replace(/\s#.*$/, '') ?? ''
  )
}

/** The start of the quoted text that ends at an offset. The library reports an open quote at its end, often lines later. */
function startOfQuote(document: Document.Parsed, end: number): number {
  let start = end
  visit(document, {
    Scalar(_, { type, range }) {
      const quoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE
      if (quoted && range && range[0] < end && end <= range[2]) start = range[0]
    },
  })
  return start
}

/** In the order of the text, one for each line: later ones on the same line are mostly consequences of the first. */
function toErrors(mistakes: Mistake[], placeOf: PlaceOf): FieldError[] {
  const errors: FieldError[] = []
  for (const { offset, message } of mistakes.toSorted((a, b) => a.offset - b.offset)) {
    const place = placeOf(offset)
    if (errors.length < maxErrors && errors.at(-1)?.line !== place.line) {
      errors.push({ path: 'config_file', message, ...place })
    }
  }
  return errors
}
