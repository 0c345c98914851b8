import { toFault } from '../docker/engine-faults'
import { type OutputChunk, RuntimeFault } from '../runtime'
import type { FrameReader } from './output-frames'

/** A container's output as the engine sends it, taken apart. */
export interface OutputSource {
  chunks: AsyncIterable<OutputChunk>
  /** True where output that ends now was cut. */
  wasCut(): boolean
}

/** Both streams in frames. */
export function readFrames(source: AsyncIterable<Buffer>, frames: FrameReader): OutputSource {
  const chunks = (async function* () {
    for await (const bytes of source) yield* frames.push(bytes)
  })()
  return { chunks, wasCut: () => frames.midFrame }
}

/** With a terminal there is one stream, and the engine sends it as it is. */
export function readTerminal(source: AsyncIterable<Buffer>): OutputSource {
  const chunks = (async function* (): AsyncGenerator<OutputChunk> {
    for await (const bytes of source) yield { stream: 'stdout', bytes }
  })()
  return { chunks, wasCut: () => false }
}

/**
 * Reads a container's output to its end. A stream ends the same way when the container exits and when the engine goes
 * away under a container that lives on, so the end is believed only once `hasExited` confirms it.
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
