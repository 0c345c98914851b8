import { Duplex, Readable } from 'node:stream'
import { RuntimeFault } from '../runtime'

/** Opens a streamed response of the engine. */
export type OpenStream = (
  method: 'GET' | 'POST',
  path: string,
  query: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Readable>

interface DialRequest {
  method: string
  path: string
  isStream: boolean
  hijack: boolean
  file: Buffer
  statusCodes: Record<number, boolean>
}

/** Sends a request of the engine's client. */
type Dial = (request: DialRequest, callback: (error: unknown, answer?: unknown) => void) => void

/** Opens a connection to the streams of a container. */
export function attachTo(dial: Dial, id: string, query: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const path = `/containers/${id}/attach?stream=1&${query}&`
    // The body must be empty, because the program would receive any other body as input.
    const request = { method: 'POST', path, isStream: true, hijack: true, file: Buffer.alloc(0) }
    dial({ ...request, statusCodes: { 200: true } }, (error, answer) => {
      if (error) reject(error)
      else if (answer instanceof Duplex) resolve(answer)
      else reject(withoutStream())
    })
  })
}

export function asReadable(value: unknown): Readable {
  if (value instanceof Readable) return value
  throw withoutStream()
}

export function withoutStream(): RuntimeFault {
  return new RuntimeFault('engine_error', 'The engine responded without a stream. Check its version and log.')
}

/** Writes a line and ends the stream. Resolves when the line is with the engine. */
export function writeLine(stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    // The engine sends nothing, and ends its side after ours.
    stream.resume().end('\n', () => resolve())
  })
}

/** Keeps an open input of a container until {@link writeLine}. It is destroyed if the engine closes it. */
export function keepOpen(input: Duplex): Duplex {
  // The engine closes it when the container ends, and also when the engine stops.
  const close = () => input.destroy()
  return input.on('error', close).on('end', close).resume()
}
