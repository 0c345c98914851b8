/** A request whose body is a text. */
export interface ShortRequest {
  method: string
  headers: Readonly<Record<string, string>>
  body?: string
  signal?: AbortSignal
}

/** The part of a `Response` that an answer with JSON needs. */
export type ShortAnswer = Pick<Response, 'ok' | 'status' | 'statusText' | 'json'> & {
  headers: Pick<Headers, 'get'>
  /** Present if it has not been received yet. */
  body?: Response['body']
}

/** Sends a request. @throws TypeError, as `fetch`, if no complete answer came; the reason of `signal` if it is aborted. */
export type Send = (url: string, request: ShortRequest) => Promise<ShortAnswer>
