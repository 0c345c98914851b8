import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { revokeToken } from '../access/tokens/tokens'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { tasksExtension } from './tasks/wait-task'
import { connectAgent } from './testing/connect-agent'
import { AgentServer } from './testing/serve-agents'
import { type StdioAgent, startGpuqMcp } from './testing/start-gpuq-mcp'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const server = new AgentServer()
let home = ''
let ada = {} as Person
beforeAll(async () => {
  ada = await makePerson()
  home = await mkdtemp(join(tmpdir(), 'gpuq-stdio-'))
  await server.start()
})
afterAll(async () => {
  await server.stop()
  await rm(home, { recursive: true })
})

const takesTasks = {
  versionNegotiation: { mode: 'auto' },
  capabilities: { extensions: { [tasksExtension]: {} } },
} as const

/** Starts `gpuq mcp` until the test ends. */
async function start(token: string, ...options: [ClientOptions?, ((answer: unknown) => void)?]) {
  const agent = await startGpuqMcp({ url: server.url, token, home }, ...options)
  onTestFinished(() => agent.client.close())
  return agent
}

const taskSchema = z.looseObject({ result: z.looseObject({ taskId: z.string() }) })

/** Starts `gpuq mcp`, and a task in it that waits for a job. */
async function startTask(token: string, jobId: string): Promise<StdioAgent & { taskId: string }> {
  let last: unknown
  const agent = await start(token, takesTasks, (answer) => {
    last = answer
  })
  // The official client knows no results of this type.
  await agent.client.callTool({ name: 'WaitForGPUJobs', arguments: { ids: [jobId] } }).catch(() => {})
  return { ...agent, taskId: taskSchema.parse(last).result.taskId }
}

const ask = (client: Client, taskId: string) =>
  client.request({ method: 'tasks/get', params: { taskId } }, z.looseObject({ status: z.string() }))

const end = (id: string) =>
  db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now() WHERE id = $1`,
    [id],
  )

it.each([
  ['2024-11-05', { supportedProtocolVersions: ['2024-11-05'] }],
  ['2025-11-25', {}],
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
] satisfies [string, ClientOptions][])(
  'gpuq mcp offers an agent of revision %s what the server offers over HTTP',
  async (revision, options) => {
    const { token } = await makeToken(ada)
    const { client: ofProgram } = await start(token, options)
    const [stdio, http] = await Promise.all(
      [ofProgram, await connectAgent(token, options)].map(async (client) => ({
        revision: client.getNegotiatedProtocolVersion(),
        capabilities: client.getServerCapabilities(),
        server: client.getServerVersion(),
        instructions: client.getInstructions(),
        tools: await client.listTools(),
        wrong: await client.callTool({ name: 'WaitForGPUJobs', arguments: { ids: ['x'] } }),
      })),
    )
    expect(stdio).toEqual(http)
    expect(stdio).toMatchObject({ revision, wrong: { isError: true } })
    const unknown = ofProgram.request({ method: 'resources/read', params: { uri: 'file:///x' } })
    await expect(unknown).rejects.toMatchObject({ code: -32601 })
  },
)

it('a task goes on after gpuq mcp was killed: another gpuq mcp answers for it', async () => {
  const { token } = await makeToken(ada)
  const id = await makeJob({ userId: ada.id })
  const { client, kill, taskId } = await startTask(token, id)
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  kill()
  await closed
  const { client: next } = await start(token, takesTasks)
  expect(await ask(next, taskId)).toMatchObject({ status: 'working' })
  await end(id)
  expect(await ask(next, taskId)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { ended: [{ id, status: 'completed' }] } },
  })
})

it('a task and a call that waits go on after a restart of the server', async () => {
  const { token } = await makeToken(ada)
  const id = await makeJob({ userId: ada.id })
  const { client, taskId } = await startTask(token, id)
  const waiting = client.callTool({ name: 'WaitForGPUJobs', arguments: { ids: [id], seconds: 50 } })
  await expect.poll(() => server.open).toBe(1)
  await server.stop()
  const polled = ask(client, taskId)
  await end(id)
  await server.start()
  expect(await polled).toMatchObject({ status: 'completed', result: { structuredContent: { waiting: 0 } } })
  expect(await waiting).toMatchObject({ structuredContent: { ended: [{ id, status: 'completed' }] } })
})

it('an agent whose token was revoked reads what to do, from tasks and from tools', async () => {
  const { token, tokenId } = await makeToken(ada)
  const { client, taskId } = await startTask(token, await makeJob({ userId: ada.id }))
  await revokeToken(ada.actor, tokenId)
  const text =
    'Invalid or expired token. Run `gpuq login` with a valid token, or set GPUQ_TOKEN to one. Then start `gpuq mcp` again.'
  await expect(ask(client, taskId)).rejects.toThrow(text)
  expect(await client.callTool({ name: 'ListGPUJobs', arguments: {} })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text }],
  })
})

it('a call that the agent cancels no longer waits on the server', async () => {
  const { token } = await makeToken(ada)
  const { client } = await start(token)
  const leave = new AbortController()
  const id = await makeJob({ userId: ada.id })
  const call = { name: 'WaitForGPUJobs', arguments: { ids: [id], seconds: 60 } }
  const waiting = client.callTool(call, { signal: leave.signal })
  await expect.poll(() => server.open).toBe(1)
  leave.abort()
  await expect(waiting).rejects.toThrow()
  await expect.poll(() => server.open).toBe(0)
})
