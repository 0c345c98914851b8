import { z } from 'zod'
import { problemSchema } from '@/lib/contract/operations/problem'
import type { RawAnswer } from './exchange'
import type { FuzzRequest } from './fuzz-request'

/** The statuses that any operation may refuse a malformed request with. */
const refusals = [400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 416, 417, 422, 429, 431]
/** A path that is written in another way leads to the usual one. */
const redirects = [303, 307, 308]

const apiPath = /^\/(?:api|queue|gpu|orchestrator|metrics)(?:\/|$)/
const stack = /\bat [\w.<>]+ \(|node_modules\/|\.next\/server|PrismaClient|\/lib\/[\w/]+\.ts\b/

const helpfulProblem = problemSchema.extend({
  title: z.string().min(3),
  // A sentence, or several.
  detail: z.string().min(15),
})

/** What is wrong with the answer to a malformed request. Empty: nothing. */
export function checkAnswer(
  request: FuzzRequest,
  answer: RawAnswer | null,
  secrets: readonly string[],
): string[] {
  // A request that breaks off, or that is none, may be closed without an answer.
  if (!answer) return request.ends ? [] : ['closed without an answer']
  const { status, headers, body } = answer
  const complaints = []
  if (!isPermitted(request, status)) complaints.push(`status ${status}`)
  const everything = `${JSON.stringify(headers)}\n${body}`
  if (secrets.some((secret) => everything.includes(secret))) complaints.push('contains a token or a session')
  if (stack.test(everything)) complaints.push('contains a stack or a path of the server')
  if (status >= 400 && answersProblem(request, answer)) complaints.push(...checkProblem(answer))
  return complaints
}

function isPermitted({ operation, method }: FuzzRequest, status: number): boolean {
  if (refusals.includes(status) || redirects.includes(status)) return true
  if (operation && method === operation.method) return operation.successes.includes(status)
  return status >= 200 && status < 400
}

/**
 * Whether the answer must be a problem. HEAD has no body, pages and the files of Next.js have their own errors, and so has
 * the protocol for agents.
 */
function answersProblem({ raw, method, path }: FuzzRequest, { headers, body }: RawAnswer): boolean {
  if (method === 'HEAD' || body.startsWith('{"jsonrpc":"2.0","error":{')) return false
  if (raw) return headers['content-type'] === 'application/problem+json'
  const { pathname } = new URL(`http://gpuq.test${path.replace(/^[/\\]+/, '/')}`)
  if (pathname.startsWith('/_next/')) return false
  return apiPath.test(pathname) || !/^text\/(?:html|plain|x-component)/.test(headers['content-type'] ?? '')
}

function checkProblem({ headers, body, status }: RawAnswer): string[] {
  if (headers['content-type'] !== 'application/problem+json')
    return [`an error of the type ${headers['content-type']}`]
  try {
    const problem = helpfulProblem.parse(JSON.parse(body))
    return problem.status === status ? [] : [`a problem with another status: ${problem.status}`]
  } catch (error) {
    return [`no complete problem: ${error instanceof Error ? error.message.slice(0, 200) : ''}`]
  }
}
