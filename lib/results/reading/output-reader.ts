import { Turns } from '../../async/turns'

/** The owner and the end of one reading of output. Each reading has its own, which counts the bytes that it reads. */
export class OutputReader {
  /** Bytes that were read so far, from all ranks and in all passes. */
  bytesRead = 0

  /**
   * @param owner a user, or all who read by links of a user. Its readers share slots and turns.
   * @param signal aborted when the answer is no longer wanted
   * @param headersOnly nobody reads the body of the answer: the request is HEAD
   */
  constructor(
    readonly owner: string,
    readonly signal: AbortSignal,
    readonly headersOnly = false,
  ) {}
}

// Next.js loads modules again for each route bundle; turns are shared by the whole process.
const shared = globalThis as typeof globalThis & { gpuqOutputTurns?: Turns }
shared.gpuqOutputTurns ??= new Turns()
export const outputTurns = shared.gpuqOutputTurns

/** Reads for gpuq itself, which nobody cancels. */
export const ownReader = (owner: string): OutputReader =>
  new OutputReader(owner, new AbortController().signal)

/** The most bytes of output that are read in one turn. Their work takes about a millisecond. */
export const bytesPerTurn = 128 * 1024

/** Whether what the reader reads next needs a turn: it has read as much as a short reading may without one. */
export const needsTurn = ({ bytesRead }: OutputReader): boolean => bytesRead >= bytesPerTurn

/** Does a step of a long reading that waits for something, such as a query, in a turn of the reader. */
export function inTurn<Value>({ owner, signal }: OutputReader, work: () => Promise<Value>): Promise<Value> {
  return outputTurns.run(owner, signal, work)
}

/**
 * Divides output into parts of at most {@link bytesPerTurn}, and gives each one a turn of its own. Only the first parts of a
 * reader, up to {@link bytesPerTurn} together, need none.
 * @param slice cuts a part of a piece of the source
 */
export async function* inTurns<Piece>(
  source: AsyncIterable<Piece>,
  reader: OutputReader,
  {
    size,
    slice,
  }: { size: (piece: Piece) => number; slice: (piece: Piece, from: number, to: number) => Piece },
): AsyncGenerator<Piece> {
  const { owner, signal } = reader
  for await (const piece of source) {
    const bytes = size(piece)
    for (let from = 0; from < bytes; from += bytesPerTurn) {
      const part = slice(piece, from, Math.min(from + bytesPerTurn, bytes))
      reader.bytesRead += size(part)
      signal.throwIfAborted()
      if (reader.bytesRead > bytesPerTurn) await outputTurns.next(owner, signal)
      yield part
    }
  }
}
