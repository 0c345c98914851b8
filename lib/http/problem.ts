import type { GpuqError } from '../contract/errors'

/** The response an error becomes. */
export function problemResponse(error: GpuqError): Response {
  return Response.json(error.toProblem(), {
    status: error.status,
    headers: { ...error.headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  })
}
