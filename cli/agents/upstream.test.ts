import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '../testing/serve'
import { describeFailure } from './describe-failure'
import { type AgentRequest, Upstream } from './upstream'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const answerWith =
  (status: number, body: object | string, headers = {}): Answer =>
  (_, response) => {
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
const succeed = answerWith(200, { jsonrpc: '2.0', id: 1, result: { ok: true } })
const hangUp: Answer = (request) => request.socket.destroy()

/** A server that gives each request the next answer, and the last one to all others. */
async function openUpstream(...answers: Answer[]) {
  let requests = 0
  const server = await serve((request, response) => {
    answers[Math.min(requests++, answers.length - 1)]?.(request, response)
  })
  const upstream = new Upstream({ server, token: 'a-token' })
  const ask = (request: AgentRequest) => upstream.ask(request, new AbortController().signal)
  return { upstream, server, ask, requests: () => requests }
}

const call = (name: string, input = {}) => ({ method: 'tools/call', params: { name, arguments: input } })

it.each([
  { method: 'tasks/get', params: { taskId: 'x' } },
  call('WaitForGPUJobs'),
  call('CreateGPUJob', { idempotency_key: 'a' }),
])('given a server that restarts, the request %j is sent again', async (request) => {
  const { ask, requests } = await openUpstream(hangUp, answerWith(502, 'Bad gateway'), succeed)
  expect(await ask(request)).toEqual({ ok: true })
  expect(requests()).toBe(3)
})

it.each(['initialize', 'tools/list'])(
  'given a server that does not come back, an agent that sends %s reads the address',
  async (method) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { ask, server, requests } = await openUpstream((request) => {
      request.socket.destroy()
      vi.setSystemTime(Date.now() + 30_000)
    })
    const error = await ask({ method }).catch((caught: unknown) => caught)
    expect(describeFailure(error, server)).toContain(`Cannot connect to ${server}. Check the address`)
    // The address of the first request may be wrong.
    expect(requests()).toBe(method === 'initialize' ? 2 : 3)
  },
)

describe.each(['CreateGPUJob', 'SubmitGPUJobs'])('a call of %s without a key', (name) => {
  it.each([
    ['restarts', hangUp],
    ['is behind a proxy that gets no answer', answerWith(502, 'Bad gateway')],
  ])(
    'given a server that %s, is not sent again, and the agent reads that its jobs may exist',
    async (_, answer) => {
      const { ask, server, requests } = await openUpstream(answer, succeed)
      await expect(ask(call(name))).rejects.toThrow(
        `${server} did not answer ${name}, so its jobs may exist.`,
      )
      expect(requests()).toBe(1)
    },
  )

  it('keeps the reason of a server that refuses it', async () => {
    const { ask } = await openUpstream(
      answerWith(503, { code: 'unavailable', detail: 'The queue is closed.' }),
    )
    await expect(ask(call(name))).rejects.toThrow('The queue is closed.')
  })
})

it.each([200, 400, 404])('an error of the protocol with status %i stays as it is', async (status) => {
  const error = { code: -32602, message: 'There is no task with this id.', data: { known: [] } }
  const { ask } = await openUpstream(answerWith(status, { jsonrpc: '2.0', id: null, error }))
  await expect(ask({ method: 'tasks/get' })).rejects.toMatchObject(error)
})

it.each([
  ['a page', answerWith(200, '<html>'), 'does not understand. Update gpuq'],
  ['another message', answerWith(200, { jsonrpc: '2.0', id: 1 }), 'does not understand. Update gpuq'],
  [
    'a redirect',
    answerWith(308, '', { location: 'https://gpu.example.org/api/mcp' }),
    'redirects to https://gpu.example.org',
  ],
  [
    'a refusal',
    answerWith(403, { code: 'forbidden', detail: 'This token may not wait.' }),
    'This token may not wait.',
  ],
  [
    'a limit',
    answerWith(429, { code: 'rate_limited', detail: 'Too many requests. Try again in 20 seconds.' }),
    'Try again in 20 seconds.',
  ],
])('given %s instead of an answer, the agent reads what is wrong', async (_, answer, text) => {
  const { ask, server, requests } = await openUpstream(answer)
  const error = await ask({ method: 'tools/list' }).catch((caught: unknown) => caught)
  expect(describeFailure(error, server)).toContain(text)
  expect(requests()).toBe(1)
})

it('the program that ends waits for no answer', async () => {
  let asked = () => {}
  const received = new Promise<void>((resolve) => {
    asked = resolve
  })
  const { ask, upstream } = await openUpstream(() => asked())
  const answer = ask({ method: 'tools/list' })
  await received
  upstream.close()
  await expect(answer).rejects.toThrow()
})
