import type { Actor } from '../../access/actor'
import type { OutputReader } from '../../results/output-reader'

/** The user who asks for output by a request. */
export function readerOf({ userId }: Actor, { method, signal }: Request): OutputReader {
  return { owner: userId, signal, headersOnly: method === 'HEAD' }
}
