import type { Actor } from '../../access/actor'
import { OutputReader } from '../../results/reading/output-reader'

/** The user who asks for output by a request. */
export function readerOf({ userId }: Actor, { method, signal }: Request): OutputReader {
  return new OutputReader(userId, signal, method === 'HEAD')
}
