/** Checks JSON while it arrives. Parsing a line of 64 MiB at once would take seconds and several times its size. */

/** What may come next. */
type State =
  | 'value'
  | 'value-or-end'
  | 'key'
  | 'key-or-end'
  | 'colon'
  | 'comma-or-end'
  | 'string'
  | 'escape'
  | 'hex'
  | 'number'
  | 'literal'
  | 'end'
  | 'invalid'

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, colon, comma] = [code('"'), code('\\'), code(':'), code(',')]
const [openBrace, closeBrace, openBracket, closeBracket] = [code('{'), code('}'), code('['), code(']')]
const [space, tab] = [code(' '), code('\t')]
/** Python writes the last three, which JSON does not have. */
const literals = ['true', 'false', 'null', 'NaN', 'Infinity', '-Infinity']
const notFinite = new Set(['NaN', 'Infinity', '-Infinity'])
const literalStarts = new Set(['true', 'false', 'null', 'NaN', 'Infinity'].map(code))
const escapes = new Set([...'"\\/bfnrt'].map(code))
const numberCharacters = new Set([...'+-.0123456789eE'].map(code))
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** No program prints a longer number. */
const maxNumber = 1_000

const isHexDigit = (byte: number) => /^[\da-fA-F]$/.test(String.fromCharCode(byte))

/**
 * Accepts one JSON object or array without line breaks, in pieces with any boundaries. Does not check UTF-8. Also accepts NaN, Infinity
 * and -Infinity, and says so.
 */
export class JsonValidator {
  #state: State = 'value'
  /** The open containers: true for an object. */
  readonly #open: boolean[] = []
  #isKey = false
  /** The characters of the number or the literal so far, or the number of hexadecimal digits. */
  #token = ''
  /** True if the pieces have a number that JSON does not have. */
  hasNotFinite = false

  constructor(readonly maxDepth: number) {}

  /** True if the pieces so far can become valid. */
  get mayBeValid(): boolean {
    return this.#state !== 'invalid'
  }

  /** True if the pieces so far are valid. */
  get isComplete(): boolean {
    return this.#state === 'end'
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#state !== 'invalid'; at++) {
      if (this.#state === 'string') {
        // Most bytes are inside strings.
        while (isPlain(bytes[at])) at++
        if (at === bytes.length) return
      }
      this.#take(bytes[at] ?? 0)
    }
  }

  #take(byte: number): void {
    switch (this.#state) {
      case 'string':
        if (byte === quote) this.#state = this.#isKey ? 'colon' : 'comma-or-end'
        else this.#state = byte === backslash ? 'escape' : 'invalid'
        return
      case 'escape':
        this.#token = ''
        this.#state = escapes.has(byte) ? 'string' : byte === code('u') ? 'hex' : 'invalid'
        return
      case 'hex':
        this.#token += 'x'
        if (!isHexDigit(byte)) this.#state = 'invalid'
        else if (this.#token.length === 4) this.#state = 'string'
        return
      case 'literal':
        this.#takeLiteral(byte)
        return
      case 'number':
        if (this.#token === '-' && byte === code('I')) {
          this.#state = 'literal'
          this.#takeLiteral(byte)
          return
        }
        if (numberCharacters.has(byte) && this.#token.length < maxNumber) {
          this.#token += String.fromCharCode(byte)
          return
        }
        this.#state = number.test(this.#token) ? 'comma-or-end' : 'invalid'
        this.#take(byte)
        return
      default:
        if (byte !== space && byte !== tab) this.#takeStructure(byte)
    }
  }

  #takeLiteral(byte: number): void {
    this.#token += String.fromCharCode(byte)
    const word = literals.find((literal) => literal.startsWith(this.#token))
    if (word === undefined) this.#state = 'invalid'
    else if (word === this.#token) {
      this.#state = 'comma-or-end'
      this.hasNotFinite ||= notFinite.has(word)
    }
  }

  #takeStructure(byte: number): void {
    const state = this.#state
    if (byte === closeBrace || byte === closeBracket) this.#close(byte)
    else if (state === 'value' || state === 'value-or-end') this.#startValue(byte)
    else this.#takeSeparator(state, byte)
  }

  #takeSeparator(state: State, byte: number): void {
    this.#state = 'invalid'
    if ((state === 'key' || state === 'key-or-end') && byte === quote) this.#startString(true)
    else if (state === 'colon' && byte === colon) this.#state = 'value'
    else if (state === 'comma-or-end' && byte === comma) this.#state = this.#open.at(-1) ? 'key' : 'value'
  }

  #startValue(byte: number): void {
    const isContainer = byte === openBrace || byte === openBracket
    this.#state = 'invalid'
    if (isContainer && this.#open.length < this.maxDepth) {
      this.#open.push(byte === openBrace)
      this.#state = byte === openBrace ? 'key-or-end' : 'value-or-end'
    } else if (isContainer || this.#open.length === 0) return
    else if (byte === quote) this.#startString(false)
    else if (literalStarts.has(byte)) {
      this.#token = String.fromCharCode(byte)
      this.#state = 'literal'
    } else if (numberCharacters.has(byte)) {
      this.#token = String.fromCharCode(byte)
      this.#state = 'number'
    }
  }

  #startString(isKey: boolean): void {
    this.#isKey = isKey
    this.#state = 'string'
  }

  #close(byte: number): void {
    const isObject = byte === closeBrace
    const mayEnd =
      this.#state === 'comma-or-end' || this.#state === (isObject ? 'key-or-end' : 'value-or-end')
    const fits = mayEnd && this.#open.pop() === isObject
    if (!fits) this.#state = 'invalid'
    else this.#state = this.#open.length === 0 ? 'end' : 'comma-or-end'
  }
}

/** A byte inside a string that means itself. */
function isPlain(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte !== quote && byte !== backslash
}
