import { toFault } from './engine-faults'
import { FrameReader } from './output-frames'
import { type OutputChunk, RuntimeFault } from './runtime'

/**
 * Reads a container's output to its end. A stream ends the same way when the container exits and when the engine goes
 * away under a container that lives on, so the end is believed only once `hasExited` confirms it.
 */
export async function* readOutput(
  source: AsyncIterable<Buffer>,
  options: { fromLog: boolean },
  hasExited: () => Promise<boolean>,
): AsyncGenerator<OutputChunk> {
  const frames = new FrameReader(options)
  try {
    for await (const bytes of source) yield* frames.push(bytes)
  } catch (error) {
    throw toFault(error, "read the container's output")
  }
  if (frames.midFrame || !(await hasExited()))
    throw new RuntimeFault('engine_unreachable', 'The output broke off while the container was running.')
}
