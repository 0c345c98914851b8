import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: Record<string, unknown>
}

interface Reply {
  status: number
  headers?: Record<string, string>
  text?: string
}

/** A real HTTP server that stores what it receives. */
export interface Receiver {
  url: string
  received: Received[]
  /** Decides the answer; null: none. */
  answer: (request: Received) => Reply | null
  close: () => Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { method = '', url = '', headers } = request
    const one = { method, path: url, headers, text, body: JSON.parse(text) }
    receiver.received.push(one)
    const reply = receiver.answer(one)
    if (reply) response.writeHead(reply.status, reply.headers).end(reply.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => ({ status: 204 }),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
