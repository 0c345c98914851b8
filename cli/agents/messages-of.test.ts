import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { expect, it } from 'vitest'
import { messagesOf } from './messages-of'

it.each(['\n', '\r\n'])(
  'an agent may write null for what it leaves out, and end lines with %j',
  async (end) => {
    const server = new Server({ name: 'a test', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/call', ({ params }) => ({
      content: [{ type: 'text', text: JSON.stringify(params) }],
    }))
    const [input, output] = [new PassThrough(), new PassThrough()]
    await server.connect(new StdioServerTransport(messagesOf(input), output))
    const params = { name: 'ListGPUJobs', arguments: null, _meta: null }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}${end}`)
    const [answer] = await once(output, 'data')
    expect(JSON.parse(String(answer))).toMatchObject({
      id: 1,
      result: { content: [{ text: '{"name":"ListGPUJobs"}' }] },
    })
    await server.close()
  },
)
