import {
  isJSONRPCResultResponse,
  ProtocolError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { retry } from '@/lib/async/retry'
import { timeLimit } from '@/lib/async/time-limit'
import { unavailable } from '@/lib/contract/errors'
import { parseJson } from '@/lib/contract/parse-json'
import { ProblemError, redirected, toProblem, unreachable } from '@/lib/http/client/problem'
import type { Connection } from '../config'

/** A request of the Model Context Protocol, without the id. */
export interface AgentRequest {
  method: string
  params?: Record<string, unknown> | undefined
}

/** WaitForGPUJobs takes up to a minute, a restart of the server may end it, and the repeated call takes another minute. */
const longestMs = 180_000
/** How long a request without an answer is repeated. Clients end it after a minute, and then show no reason. */
const repeatedMs = 40_000
/** The same for the first request: the address may be wrong. */
const firstRepeatedMs = 10_000

/** Each call of these tools makes something, unless it has a key. */
const making = ['CreateGPUJob', 'SubmitGPUJobs']

const errorSchema = z.object({
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
})
const initializedSchema = z.object({ protocolVersion: z.string() })

/** The tools of the server, by HTTP. The server keeps no state between two requests, so each of them may reach another process. */
export class Upstream {
  readonly #closing = new AbortController()
  /** The revision of an agent that began with `initialize`. Later revisions are named in each request. */
  #revision: string | undefined
  #requests = 0

  constructor(readonly connection: Connection) {}

  /**
   * Returns the result of a request. If the server does not answer, for example because it restarts, the request is repeated for a
   * while, unless that could make a job twice.
   * @throws ProtocolError that the server answered; ProblemError if it refuses or does not answer.
   */
  async ask(request: AgentRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const until = timeLimit(longestMs, AbortSignal.any([signal, this.#closing.signal]))
    const longest = isFirst(request) ? firstRepeatedMs : repeatedMs
    let firstFailure: number | undefined
    const onFailure = (error: unknown) => {
      firstFailure ??= Date.now()
      if (!isAway(error) || !mayRepeat(request) || Date.now() - firstFailure >= longest) throw error
    }
    try {
      const timing = { firstMs: 100, longestMs: 2_000, signal: until, onFailure }
      const result = await retry(() => this.#send(request, until), timing)
      if (request.method === 'initialize')
        this.#revision = initializedSchema.safeParse(result).data?.protocolVersion
      return result
    } catch (error) {
      const isLate = until.aborted && !signal.aborted
      if (!mayRepeat(request) && (isLate || hasNoAnswer(error))) throw mayBeMade(request, this.connection)
      if (isLate) throw unavailable(`${this.connection.server} did not answer in time. Try again.`)
      throw error
    }
  }

  /** Ends all requests. */
  close(): void {
    this.#closing.abort()
  }

  async #send({ method, params }: AgentRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { server, token } = this.connection
    const transport = new StreamableHTTPClientTransport(new URL(`${server}/api/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      ...(this.#revision !== undefined && { protocolVersion: this.#revision }),
      fetch: fetchAnswer,
    })
    const message = { jsonrpc: '2.0' as const, id: ++this.#requests, method, ...(params && { params }) }
    await transport.start()
    return new Promise((resolve, reject) => {
      transport.onmessage = (answer) => {
        if (isJSONRPCResultResponse(answer)) resolve(answer.result)
      }
      transport.send(message, { requestSignal: signal }).catch(reject)
    })
  }
}

/** Whether the server, or its database, may be back in a moment. */
const isAway = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && (error.code === 'unreachable' || [502, 503, 504].includes(error.status))

/** Whether nobody knows what the server did with the request. */
const hasNoAnswer = (error: unknown) =>
  isAway(error) && (error.code === 'unreachable' || error.code === 'unexpected')

/** The error for a call that was not repeated. An agent that reads no more than "try again" makes a job twice. */
const mayBeMade = ({ params }: AgentRequest, { server }: Connection) =>
  unavailable(
    `${server} did not answer ${params?.name}, so its jobs may exist. Look with ListGPUJobs before you call it again, and set idempotency_key: a repeated call with the same key makes nothing twice.`,
  )

const isFirst = ({ method }: AgentRequest) => method === 'initialize' || method === 'server/discover'

function mayRepeat({ method, params }: AgentRequest): boolean {
  if (method !== 'tools/call' || !making.some((name) => name === params?.name)) return true
  const { data } = z.object({ idempotency_key: z.string() }).safeParse(params?.arguments)
  return data !== undefined
}

/** Sends a request and returns an answer with a result. @throws what another answer, or none, means. */
async function fetchAnswer(url: string | URL, init?: RequestInit): Promise<Response> {
  const fail = (error: unknown): never => {
    throw init?.signal?.aborted ? error : unreachable(error)
  }
  const response = await fetch(url, init).catch(fail)
  if (response.headers.get('location') !== null) throw await redirected(response, String(url))
  const text = await response.text().catch(fail)
  const body = parseJson(text)
  const refused = errorSchema.safeParse(body).data?.error
  if (refused) throw new ProtocolError(refused.code, refused.message, refused.data)
  if (!response.ok) throw await toProblem(new Response(text, response))
  if (isJSONRPCResultResponse(body)) return Response.json(body)
  throw new ProblemError({
    status: response.status,
    code: 'unexpected',
    detail: 'The server sent an answer that this version does not understand. Update gpuq here or there.',
  })
}
