import type { GpuqError } from '../contract/errors'

interface EncodedProblem {
  status: number
  headers: Record<string, string>
  body: string
}

/** The status, headers and body that an error becomes. */
export function encodeProblem(error: GpuqError): EncodedProblem {
  return {
    status: error.status,
    headers: { ...error.headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: JSON.stringify(error.toProblem()),
  }
}

/** The response an error becomes. */
export function problemResponse(error: GpuqError): Response {
  const { status, headers, body } = encodeProblem(error)
  return new Response(body, { status, headers })
}
