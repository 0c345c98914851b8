import type { GpuqError } from '../contract/errors'
import { type Problem, problemTitles } from '../contract/problem'

/** The response an error becomes. */
export function problemResponse(error: GpuqError): Response {
  const problem: Problem = {
    type: 'about:blank',
    title: problemTitles[error.code],
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(error.errors ? { errors: error.errors } : {}),
  }
  return Response.json(problem, {
    status: error.status,
    headers: { ...error.headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  })
}
