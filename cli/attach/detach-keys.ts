import { invalidRequest } from '@/lib/contract/errors'

const a = 0x61
const d = 0x64
/** Ctrl-D, for users who still hold Ctrl while they press d. */
const ctrlD = 0x04

/** The escape key and its display name. */
export interface EscapeKey {
  /** Null: every key goes to the program. */
  byte: number | null
  name: string
}

/** Parses `^a`, `ctrl-a`, `C-a` or `none`. */
export function parseEscapeKey(text: string): EscapeKey {
  if (text === 'none') return { byte: null, name: 'none' }
  const letter = text.match(/^(?:\^|ctrl-|c-)([a-z])$/i)?.[1]?.toUpperCase()
  if (letter && letter !== 'M' && letter !== 'J') {
    return { byte: letter.charCodeAt(0) - 0x40, name: `Ctrl-${letter}` }
  }
  const why = `"${text}" is not a valid escape key.`
  throw invalidRequest(`${why} Use Ctrl and a letter, such as ^a or ctrl-b, or none.`)
}

/**
 * Finds the detach sequence of GNU Screen: the escape key, then d. The escape key and a, or the escape key
 * twice, sends the escape key once. Before any other key, the escape key is ordinary input.
 */
export class DetachKeys {
  #escaped = false

  constructor(readonly escapeKey: EscapeKey) {}

  /** Returns the input for the program. `detached` is true if the detach sequence ended the input. */
  push(bytes: Uint8Array): { input: Buffer; detached: boolean } {
    const { byte: escapeByte } = this.escapeKey
    if (escapeByte === null) return { input: Buffer.from(bytes), detached: false }
    const input: number[] = []
    for (const byte of bytes) {
      if (!this.#escaped && byte === escapeByte) {
        this.#escaped = true
        continue
      }
      if (this.#escaped && (byte === d || byte === ctrlD))
        return { input: Buffer.from(input), detached: true }
      if (this.#escaped) input.push(escapeByte)
      if (!this.#escaped || (byte !== a && byte !== escapeByte)) input.push(byte)
      this.#escaped = false
    }
    return { input: Buffer.from(input), detached: false }
  }
}
