import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { agentRoutes } from '../routes'

/**
 * The official client. Its requests go directly to the route.
 * @param onAnswer called with each JSON answer, as it was sent
 */
export async function connectAgent(
  token: string,
  options?: ClientOptions,
  onAnswer: (answer: unknown) => void = () => {},
): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' }, options)
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost:8001/api/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      if (init?.method === 'GET') return new Response(null, { status: 405 })
      const response = await agentRoutes.message(new Request(url, init), { params: Promise.resolve({}) })
      if (response.headers.get('content-type')?.startsWith('application/json'))
        onAnswer(await response.clone().json())
      return response
    },
  })
  await client.connect(transport)
  return client
}
