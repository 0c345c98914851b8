import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from '@playwright/test'
import { test } from './browser-test'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser } from './test-users'

/** Connects the official MCP client with the settings of the page. `agents.server.test.ts` tests the tools. */

test('the tokens page shows MCP settings that work as shown', async ({ page, context }) => {
  const ada = await createUser({ name: 'ada' })
  await signIn(context, ada)
  await page.goto('/tokens')
  const settings = page.getByRole('region', { name: 'agent settings' })
  await expect(settings).toContainText(`${theSystem().url}/api/mcp`)
  const { mcpServers } = JSON.parse((await settings.textContent())?.replace('YOUR_TOKEN', ada.token) ?? '')
  const { url, headers } = mcpServers.gpuq
  const client = new Client({ name: 'an agent', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  const { isError } = await client.callTool({ name: 'ViewGPUCluster', arguments: {} })
  expect(isError === true).toBe(false)
})
