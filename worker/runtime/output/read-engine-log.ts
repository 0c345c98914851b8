import { toFault } from '../docker/engine-faults'
import { type OutputChunk, RuntimeFault } from '../runtime'

/** Separates the streams of a container. */
export interface LogReader {
  /** Whether output that ends now was cut. */
  readonly midFrame: boolean
  /** The timestamp of the latest entry in milliseconds; null: unknown. */
  readonly latestMs: number | null
  /** The log is read again; the repetition is skipped. */
  restartLog(): void
  push(bytes: Buffer): OutputChunk[]
}

/** Demultiplexed output of a container. */
export interface OutputSource {
  chunks: AsyncIterable<OutputChunk>
  /** Whether output that ends now was cut. */
  wasCut(): boolean
}

/** Reads both streams from frames. */
export function readFrames(source: AsyncIterable<Buffer>, frames: LogReader): OutputSource {
  const chunks = (async function* () {
    for await (const bytes of source) yield* frames.push(bytes)
  })()
  return { chunks, wasCut: () => frames.midFrame }
}

/** A terminal has one stream, which the engine sends without frames. */
export function readTerminal(source: AsyncIterable<Buffer>): OutputSource {
  const chunks = (async function* (): AsyncGenerator<OutputChunk> {
    for await (const bytes of source) yield { stream: 'stdout', bytes }
  })()
  return { chunks, wasCut: () => false }
}

/**
 * Reads a container's output to its end. A stream ends in the same way when the container exits and when the engine
 * stops while the container continues, so `hasExited` must confirm the end.
 */
export async function* readOutput(
  { chunks, wasCut }: OutputSource,
  hasExited: () => Promise<boolean>,
): AsyncGenerator<OutputChunk> {
  try {
    yield* chunks
  } catch (error) {
    throw toFault(error, "read the container's output")
  }
  if (wasCut() || !(await hasExited()))
    throw new RuntimeFault('engine_unreachable', 'The output broke off while the container was running.')
}
