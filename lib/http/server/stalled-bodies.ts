import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody, isIdentified } from './unidentified-bodies'

export interface StallLimits {
  /** How long a body may make no progress. */
  stalledMs: number
  /** The same after the response: the client needs the connection only to read that. */
  answeredMs: number
}

interface Watched {
  response: ServerResponse
  /** Bytes that the connection had received at the last progress. */
  bytes: number
  /** When that was, in milliseconds. */
  at: number
  close: () => void
}

/** Closes requests whose client has stopped sending the body. Time comes in as an argument, in milliseconds. */
export class StalledBodies {
  readonly #watched = new Map<IncomingMessage, Watched>()
  readonly #limits: StallLimits

  constructor(limits: StallLimits) {
    this.#limits = limits
  }

  /** Watches a request that has a body until the body is complete. Calls `close` if it stalls. */
  watch(request: IncomingMessage, response: ServerResponse, now: number, close: () => void): void {
    if (!hasBody(request)) return
    this.#watched.set(request, { response, bytes: request.socket.bytesRead, at: now, close })
    const forget = () => this.#watched.delete(request)
    request.once('end', forget)
    request.once('close', forget)
  }

  closeStalled(now: number): void {
    for (const [request, watched] of this.#watched) {
      const { stalledMs, answeredMs } = this.#limits
      const limitMs = watched.response.writableFinished ? answeredMs : stalledMs
      if (request.complete) this.#watched.delete(request)
      else if (madeProgress(request, watched.bytes)) {
        watched.bytes = request.socket.bytesRead
        watched.at = now
      } else if (now - watched.at >= limitMs) {
        this.#watched.delete(request)
        watched.close()
      }
    }
  }
}

/**
 * While received data waits to be read, the server is the slow side. Without credentials in the headers that is no excuse:
 * such an upload waits for its turn, and stalled ones would hold each other up.
 */
function madeProgress(request: IncomingMessage, bytes: number): boolean {
  const isUnread = request.readableLength > 0 && isIdentified(request)
  return isUnread || request.socket.bytesRead > bytes
}
