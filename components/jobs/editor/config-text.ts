import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  stringify,
  type YAMLMap,
} from 'yaml'

/** A value that a form can show and write. */
export type FieldValue = string | number | string[] | Record<string, string>

/** A key in the text: absent, a value for the form, or a value that only the text can show. */
export type FieldReading = { kind: 'absent' } | { kind: 'value'; value: FieldValue } | { kind: 'other' }

/** A config's text, parsed for a form. */
export interface ConfigText {
  read: (key: string) => FieldReading
  /** The text with another value, or without the key. The rest of the text stays the same. */
  write: (key: string, value: FieldValue | undefined) => string
  /** The position of a key, counted from 1. */
  positionOf: (key: string) => { line: number; column: number } | undefined
}

/** Parses a config's text for a form. Null if it is not a YAML mapping. */
export function readConfigText(text: string): ConfigText | null {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent', lineCounter })
  const { contents } = document
  if (document.errors.length > 0 || (contents !== null && !isMap(contents) && !isEmptyScalar(contents)))
    return null
  const map = isMap(contents) ? contents : null
  return {
    read: (key) => readPair(findPair(map, key)),
    write: (key, value) => writeKey(text, document, map, key, value),
    positionOf: (key) => {
      const span = spanOf(findPair(map, key))
      if (!span) return undefined
      const { line, col } = lineCounter.linePos(span.from)
      return { line, column: col }
    },
  }
}

function isEmptyScalar(node: unknown): boolean {
  return isScalar(node) && node.value === null
}

function findPair(map: YAMLMap | null, key: string): Pair | undefined {
  return map?.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
}

function readPair(pair: Pair | undefined): FieldReading {
  const node = pair?.value
  if (pair === undefined || node === null || isEmptyScalar(node)) return { kind: 'absent' }
  if (isScalar(node)) return { kind: 'value', value: scalarText(node) }
  if (isSeq(node) && node.items.every(isScalar)) return { kind: 'value', value: node.items.map(scalarText) }
  if (!isMap(node)) return { kind: 'other' }
  const entries: [string, string][] = []
  for (const { key, value } of node.items) {
    if (!isScalar(key) || !isScalar(value)) return { kind: 'other' }
    entries.push([scalarText(key), scalarText(value)])
  }
  return { kind: 'value', value: Object.fromEntries(entries) }
}

/** The source text: `0.10` is not 0.1, and an unfinished number may end with its point. */
function scalarText(node: Scalar): string {
  return node.type === 'PLAIN' ? (node.source ?? String(node.value)) : String(node.value)
}

function writeKey(
  text: string,
  document: Document,
  map: YAMLMap | null,
  key: string,
  value: FieldValue | undefined,
): string {
  if (map?.flow) return writeFlow(document, key, value)
  const span = spanOf(findPair(map, key))
  if (value === undefined) return span ? withoutLines(text, span) : text
  const written = writePair(key, value)
  if (!span) return `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${written}\n`
  const replaced = text.slice(span.from, span.to)
  // An empty value leaves no space before a comment.
  const ending = replaced.endsWith('\n') ? '\n' : text[span.to] === '#' ? ' ' : ''
  return text.slice(0, span.from) + written + ending + text.slice(span.to)
}

/** A flow mapping (in braces) is written anew, because its keys have no lines of their own. */
function writeFlow(document: Document, key: string, value: FieldValue | undefined): string {
  const copy = document.clone()
  if (value === undefined) copy.delete(key)
  else copy.set(key, copy.createNode(plain(value)))
  return copy.toString({ lineWidth: 0 })
}

interface Span {
  from: number
  to: number
}

function spanOf(pair: Pair | undefined): Span | null {
  if (!isScalar(pair?.key) || !pair.key.range) return null
  const [from, keyEnd] = pair.key.range
  const valueEnd = isNode(pair.value) ? pair.value.range?.[1] : undefined
  return { from, to: valueEnd ?? keyEnd + 1 }
}

/** Removes a key with all of its lines and the comment after its value. */
function withoutLines(text: string, { from, to }: Span): string {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const inLine = to > 0 && text[to - 1] === '\n' ? to : text.indexOf('\n', to) + 1
  return text.slice(0, start) + (inLine === 0 ? '' : text.slice(inLine))
}

function writePair(key: string, value: FieldValue): string {
  const options = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const
  if (Array.isArray(value)) return `${key}: [${value.map((item) => JSON.stringify(item)).join(', ')}]`
  return stringify({ [key]: plain(value) }, options).trimEnd()
}

/** A Map, because a variable may be called `__proto__`. The check rejects it later. */
function plain(value: FieldValue): unknown {
  return typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value)) : value
}
