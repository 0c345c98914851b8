/** A number whose digits would change if JavaScript read and wrote it: `1e-05`, `1.0`, `-0`, `12345678901234567890`, `1e400`. */
export class PrintedNumber {
  readonly value: number

  /** @param source the digits as they were printed */
  constructor(readonly source: string) {
    this.value = Number(source)
  }

  toString(): string {
    return this.source
  }
}

/** The number of a value; null if it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  return value instanceof PrintedNumber ? value.value : null
}

interface PrintedJson {
  value: unknown
  /** An object has a key more than once; the value has the last one. */
  repeatsKeys: boolean
  /** There is a NaN, Infinity or -Infinity, which Python writes and JSON does not have. They are numbers in the value. */
  hasNotFinite: boolean
}

/**
 * Reads JSON as it was printed: a number that would change is a {@link PrintedNumber}.
 * @throws SyntaxError with line and column.
 */
export function readPrintedJson(text: string): PrintedJson {
  return new JsonReader(text).read()
}

/** The value of {@link readPrintedJson}; undefined if the text is not JSON. */
export function parsePrintedJson(text: string): unknown {
  try {
    return readPrintedJson(text).value
  } catch {
    return undefined
  }
}

const space = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /(?:true|false|null|NaN|-?Infinity)(?!\w)/y
const words = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

type Container = unknown[] | Record<string, unknown>

/** A stack instead of recursion: values may be nested very deeply. */
class JsonReader {
  #at = 0
  #repeatsKeys = false
  #hasNotFinite = false
  readonly #open: Container[] = []
  /** The key of the value that comes next, for each open object. */
  readonly #keys: string[] = []
  #root: unknown

  constructor(private readonly text: string) {}

  read(): PrintedJson {
    do this.#readValue()
    while (this.#open.length > 0)
    this.#skipSpace()
    if (this.#at < this.text.length) this.#fail()
    return { value: this.#root, repeatsKeys: this.#repeatsKeys, hasNotFinite: this.#hasNotFinite }
  }

  /** Reads a value or the start of a container, and everything that ends after it. */
  #readValue(): void {
    this.#skipSpace()
    const first = this.text[this.#at]
    if (first === '{' || first === '[') {
      this.#at++
      this.#open.push(first === '{' ? {} : [])
      if (!this.#closes()) {
        this.#beginItem()
        return
      }
    } else this.#put(first === '"' ? this.#readString() : this.#readScalar())
    this.#endValues()
  }

  /** Closes the containers that end here, until one continues. */
  #endValues(): void {
    while (this.#open.length > 0) {
      this.#skipSpace()
      if (this.text[this.#at] === ',') {
        this.#at++
        this.#beginItem()
        return
      }
      if (!this.#closes()) this.#fail()
    }
  }

  /** Closes the innermost container if it ends here. */
  #closes(): boolean {
    this.#skipSpace()
    const inner = this.#open.at(-1)
    if (inner === undefined || this.text[this.#at] !== (Array.isArray(inner) ? ']' : '}')) return false
    this.#at++
    this.#open.pop()
    this.#put(inner)
    return true
  }

  /** Reads the key of the next value, in an object. */
  #beginItem(): void {
    if (Array.isArray(this.#open.at(-1))) return
    this.#skipSpace()
    if (this.text[this.#at] !== '"') this.#fail()
    this.#keys.push(this.#readString())
    this.#skipSpace()
    if (this.text[this.#at] !== ':') this.#fail()
    this.#at++
  }

  #put(value: unknown): void {
    const inner = this.#open.at(-1)
    if (inner === undefined) this.#root = value
    else if (Array.isArray(inner)) inner.push(value)
    else {
      const key = this.#keys.pop() ?? ''
      this.#repeatsKeys ||= Object.hasOwn(inner, key)
      // An assignment to `__proto__` would not be a key.
      if (key === '__proto__')
        Object.defineProperty(inner, key, { value, enumerable: true, configurable: true, writable: true })
      else inner[key] = value
    }
  }

  #readScalar(): unknown {
    const literal = this.#match(word)
    if (literal !== null) {
      const value = words.get(literal)
      if (typeof value === 'number') this.#hasNotFinite = true
      return value
    }
    const source = this.#match(number)
    if (source === null || source === '') this.#fail()
    const value = Number(source)
    return String(value) === source ? value : new PrintedNumber(source)
  }

  #readString(): string {
    const start = this.#at
    const end = endOfString(this.text, start)
    if (end > this.text.length) this.#fail(this.text.length)
    this.#at = end
    const inner = this.text.slice(start + 1, end - 1)
    if (!/[\\\p{Cc}]/u.test(inner)) return inner
    try {
      return String(JSON.parse(`"${inner}"`))
    } catch {
      return this.#fail(start)
    }
  }

  #skipSpace(): void {
    this.#match(space)
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)?.[0] ?? null
    if (found !== null) this.#at += found.length
    return found
  }

  #fail(at = this.#at): never {
    const what = at < this.text.length ? `Unexpected ${JSON.stringify(this.text[at])}` : 'Unexpected end'
    const before = this.text.slice(0, at).split('\n')
    throw new SyntaxError(`${what} at line ${before.length} column ${(before.at(-1) ?? '').length + 1}.`)
  }
}

/** The position after the string that begins at `start`; one more than the length of the text if it does not end. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - slashes - 1] === '\\') slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length + 1
}

/** JSON in lines with indentation. All else stays as it is: digits, repeated keys, escapes. */
export function indentJson(json: string): string {
  const parts: string[] = []
  let depth = 0
  const breakLine = () => parts.push('\n', '  '.repeat(depth))
  for (let at = 0; at < json.length; at++) {
    const character = json[at] ?? ''
    if (character === '"') {
      const end = endOfString(json, at)
      parts.push(json.slice(at, end))
      at = end - 1
    } else if (character === '{' || character === '[') {
      const empty = /\s*[}\]]/y
      empty.lastIndex = at + 1
      const end = empty.exec(json)
      parts.push(character)
      if (end) {
        parts.push(end[0].trim())
        at += end[0].length
      } else {
        depth++
        breakLine()
      }
    } else if (character === '}' || character === ']') {
      depth--
      breakLine()
      parts.push(character)
    } else if (character === ',') {
      parts.push(character)
      breakLine()
    } else if (character === ':') parts.push(': ')
    else if (!/\s/.test(character)) parts.push(character)
  }
  return parts.join('')
}
