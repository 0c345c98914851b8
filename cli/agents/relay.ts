import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { visibleOutput } from '@/lib/contract/text/visible-output'
import type { AgentTools } from './agent-tools'
import { describeFailure } from './describe-failure'
import type { Upstream } from './upstream'

interface RelayOptions {
  /** The agent. */
  wire: Transport
  upstream: Upstream
  tools: AgentTools
}

const callSchema = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.looseObject({ [PROTOCOL_VERSION_META_KEY]: z.string().optional() }).optional(),
})
const cancelledSchema = z.looseObject({ requestId: z.union([z.string(), z.number()]) })

/**
 * Answers the requests of an agent with the answers of the server, so that the server alone decides what both transports have:
 * revisions of the protocol, capabilities, tools and tasks. Only results of tools get something added.
 */
export class Relay {
  /** The requests that have no answer yet. */
  readonly #asked = new Map<RequestId, AbortController>()

  constructor(readonly of: RelayOptions) {}

  /** Takes a message of the agent. The server keeps no state, so no notification but the end of a request concerns it. */
  receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) void this.#answer(message)
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.#cancel(message.params)
  }

  #cancel(params: unknown): void {
    const { data } = cancelledSchema.safeParse(params)
    if (data) this.#asked.get(data.requestId)?.abort()
  }

  async #answer(request: JSONRPCRequest): Promise<void> {
    const { id } = request
    const cancelled = new AbortController()
    this.#asked.set(id, cancelled)
    const answer = await this.#resultOf(request, cancelled.signal).then(
      (result) => ({ jsonrpc: '2.0' as const, id, result }),
      (error: unknown) => ({ jsonrpc: '2.0' as const, id, error: this.#toError(error) }),
    )
    this.#asked.delete(id)
    // An agent that has left gets no answer.
    if (!cancelled.signal.aborted) await this.of.wire.send(answer).catch(() => {})
  }

  async #resultOf({ method, params }: JSONRPCRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { upstream, tools } = this.of
    const call = method === 'tools/call' ? callSchema.safeParse(params).data : undefined
    if (call) {
      // Results that are made here need what the server gives to those of the revisions that each request names.
      const type = call._meta?.[PROTOCOL_VERSION_META_KEY] === undefined ? {} : { resultType: 'complete' }
      return { ...type, ...(await tools.call(call, signal)) }
    }
    const result = await upstream.ask({ method, params }, signal)
    return method === 'tasks/get' ? tools.finishTask(result) : result
  }

  #toError(error: unknown): { code: number; message: string; data?: unknown } {
    if (!(error instanceof ProtocolError)) {
      const text = describeFailure(error, this.of.upstream.connection.server)
      return { code: ProtocolErrorCode.InternalError, message: visibleOutput(text) }
    }
    const { code, message, data } = error
    return { code, message: visibleOutput(message), ...(data !== undefined && { data }) }
  }
}
