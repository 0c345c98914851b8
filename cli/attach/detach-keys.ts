import { GpuqError } from '@/lib/contract/errors'

const a = 0x61
const d = 0x64
/** The same letters with Ctrl held down, for those who do not let go of it. */
const ctrlD = 0x04

/** The key that begins a word to gpuq, and its name. */
export interface EscapeKey {
  byte: number
  name: string
}

/** `^a`, `ctrl-a` or `C-a`, as people and manuals write it. */
export function parseEscapeKey(text: string): EscapeKey {
  const letter = text.match(/^(?:\^|ctrl-|c-)([a-z])$/i)?.[1]?.toUpperCase()
  if (letter && letter !== 'M' && letter !== 'J') {
    return { byte: letter.charCodeAt(0) - 0x40, name: `Ctrl-${letter}` }
  }
  const why = `"${text}" cannot be the key.`
  throw new GpuqError('invalid_request', `${why} Write Ctrl and a letter: ^a, or ctrl-b.`)
}

/**
 * Finds among the keys the two that detach, as in GNU Screen: the escape key, then d. The escape key and a, or twice
 * itself, types it once; before any other key it is no escape key.
 */
export class DetachKeys {
  #escaped = false

  constructor(readonly escapeKey: EscapeKey) {}

  /** What of the keys is the program's; `detached` when they end in leaving it. */
  push(bytes: Uint8Array): { input: Buffer; detached: boolean } {
    const input: number[] = []
    for (const byte of bytes) {
      if (!this.#escaped && byte === this.escapeKey.byte) {
        this.#escaped = true
        continue
      }
      if (this.#escaped && (byte === d || byte === ctrlD))
        return { input: Buffer.from(input), detached: true }
      if (this.#escaped) input.push(this.escapeKey.byte)
      if (!this.#escaped || (byte !== a && byte !== this.escapeKey.byte)) input.push(byte)
      this.#escaped = false
    }
    return { input: Buffer.from(input), detached: false }
  }
}
