import * as z from 'zod'
import { defineOperations, post } from '../contract/operations/operation'

/** The MCP library checks messages itself: the schema only documents their shape. */
const mcpMessage = z.looseObject({}).meta({
  properties: { jsonrpc: { type: 'string', const: '2.0' }, method: { type: 'string' } },
  required: ['jsonrpc', 'method'],
})

export const agentOperations = defineOperations('agents', 'agents', {
  message: post('/api/mcp', 'token', 'A message of the Model Context Protocol (stateless HTTP) for agents', {
    restrictedTokens: true,
    body: mcpMessage,
    responses: {
      200: { description: 'The response to a request, as JSON' },
      202: { description: 'The notification was accepted' },
    },
  }),
})
