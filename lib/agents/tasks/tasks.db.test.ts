import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { connectAgent } from '../testing/connect-agent'
import { AgentServer } from '../testing/serve-agents'
import { startGpuqMcp } from '../testing/start-gpuq-mcp'
import { tasksExtension } from './wait-task'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

const server = new AgentServer()
let home = ''
let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  home = await mkdtemp(join(tmpdir(), 'gpuq-tasks-'))
  await server.start()
})
afterAll(async () => {
  await server.stop()
  await rm(home, { recursive: true })
})

const transports: Record<'HTTP' | 'gpuq mcp', typeof connectAgent> = {
  HTTP: connectAgent,
  'gpuq mcp': async (token, ...options) =>
    (await startGpuqMcp({ url: server.url, token, home }, ...options)).client,
}
const names = ['HTTP', 'gpuq mcp'] as const

const takesTasks = {
  versionNegotiation: { mode: 'auto' },
  capabilities: { extensions: { [tasksExtension]: {} } },
} as const

const answerSchema = z.looseObject({
  result: z
    .looseObject({ resultType: z.string(), taskId: z.string().optional(), status: z.string().optional() })
    .optional(),
})

/** A client that takes tasks, and what it got. The official one knows no results of this type, so the test reads its answers. */
async function connect(over: (typeof names)[number], person: Person) {
  const { token } = await makeToken(person)
  let last: unknown
  const client = await transports[over](token, takesTasks, (answer) => {
    last = answer
  })
  const wait = async (input: object) => {
    await client.callTool({ name: 'WaitForGPUJobs', arguments: { ...input } }).catch(() => {})
    return answerSchema.parse(last).result
  }
  return { client, wait }
}

const ask = (client: Client, method: 'get' | 'cancel' | 'update', taskId: string) =>
  client.request({ method: `tasks/${method}`, params: { taskId } }, z.looseObject({}))

const end = (id: string, status = 'completed') =>
  db.pool.query(
    `UPDATE jobs SET status = $2::"JobStatus", reason = $3, exit_code = $4, ended_at = now() WHERE id = $1`,
    [id, status, status === 'completed' ? 'finished' : 'exit_code', status === 'completed' ? 0 : 1],
  )

describe.each(names)('a client that takes tasks, over %s,', (over) => {
  let agents: Record<'ada' | 'bob', Awaited<ReturnType<typeof connect>>>
  beforeAll(async () => {
    agents = { ada: await connect(over, ada), bob: await connect(over, bob) }
  })
  afterAll(async () => {
    for (const { client } of Object.values(agents)) await client.close()
  })

  it('waits for all of its jobs: the task works until the last one has ended, and then has the answer of the tool', async () => {
    const ids = [await makeJob({ userId: ada.id }), await makeJob({ userId: ada.id })]
    const { client, wait } = agents.ada
    const created = await wait({ ids })
    expect(created).toMatchObject({
      resultType: 'task',
      status: 'working',
      statusMessage: '0 of 2 have ended.',
      ttlMs: null,
      pollIntervalMs: 2000,
    })
    const taskId = created?.taskId ?? ''
    await end(ids[0] ?? '', 'failed')
    expect(await ask(client, 'get', taskId)).toMatchObject({
      taskId,
      status: 'working',
      statusMessage: '1 of 2 have ended.',
      createdAt: created?.createdAt,
    })
    await end(ids[1] ?? '')
    // Any server answers, and any client with the same rights.
    const { client: other } = await connect(over, ada)
    onTestFinished(() => other.close())
    const done = await ask(other, 'get', taskId)
    expect(done).toMatchObject({
      status: 'completed',
      result: {
        structuredContent: {
          waiting: 0,
          ended: [
            { id: ids[0], status: 'failed', exit_code: 1 },
            { id: ids[1], status: 'completed' },
          ],
        },
      },
    })
    expect(await wait({ ids })).toMatchObject({ resultType: 'complete', structuredContent: { waiting: 0 } })
  })

  it('waits for any of its jobs: the task is completed by the first one', async () => {
    const ids = [await makeJob({ userId: ada.id }), await makeJob({ userId: ada.id })]
    const { client, wait } = agents.ada
    const { taskId = '' } = (await wait({ ids, for: 'any' })) ?? {}
    await end(ids[1] ?? '')
    expect(await ask(client, 'get', taskId)).toMatchObject({
      status: 'completed',
      result: { structuredContent: { waiting: 1, ended: [{ id: ids[1] }] } },
    })
  })

  it('costs no more queries a poll when most of its jobs have failed than before', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => makeJob({ userId: ada.id })))
    const { client, wait } = agents.ada
    const { taskId = '' } = (await wait({ ids })) ?? {}
    const statementsOfPoll = async () => {
      await ask(client, 'get', taskId)
      const query = vi.spyOn(db.pool, 'query')
      await ask(client, 'get', taskId)
      const statements = query.mock.calls.length
      query.mockRestore()
      return statements
    }
    const before = await statementsOfPoll()
    for (const id of ids.slice(1)) await end(id, 'failed')
    expect(await statementsOfPoll()).toBe(before)
  })

  it('gets the result and no task if it says how long it waits, and the error of a call that is wrong', async () => {
    const { wait } = agents.ada
    const id = await makeJob({ userId: ada.id })
    expect(await wait({ ids: [id], seconds: 0 })).toMatchObject({
      resultType: 'complete',
      structuredContent: { waiting: 1 },
    })
    expect(await wait({ ids: [] })).toMatchObject({ resultType: 'complete', isError: true })
    const ofBob = await makeJob({ userId: bob.id })
    expect(await wait({ ids: [ofBob] })).toMatchObject({ resultType: 'complete', isError: true })
  })

  it('cancels a task, which stops no job, and an update of it changes nothing', async () => {
    const id = await makeJob({ userId: ada.id })
    const { client, wait } = agents.ada
    const { taskId = '' } = (await wait({ ids: [id] })) ?? {}
    await expect(ask(client, 'cancel', taskId)).resolves.toBeDefined()
    await expect(ask(client, 'update', taskId)).resolves.toBeDefined()
    const { rows } = await db.pool.query('SELECT status, cancel_requested_at FROM jobs WHERE id = $1', [id])
    expect(rows).toEqual([{ status: 'pending', cancel_requested_at: null }])
  })

  it('learns nothing from the task of another user, and that there is no task with an invented id', async () => {
    const id = await makeJob({ userId: ada.id })
    const { taskId = '' } = (await agents.ada.wait({ ids: [id] })) ?? {}
    const { client } = agents.bob
    await end(id)
    expect(await ask(client, 'get', taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ text: expect.stringMatching(/^You have no job or group with/) }] },
    })
    for (const method of ['get', 'cancel', 'update'] as const)
      await expect(ask(client, method, 'invented')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('There is no task with this id. Call WaitForGPUJobs.'),
      })
  })
})

describe.each(names)('a client that takes no tasks, over %s,', (over) => {
  it.each([
    ['of the newest revision', { versionNegotiation: { mode: 'auto' } }],
    ['of an earlier revision', { capabilities: takesTasks.capabilities }],
  ] as const)('%s gets the answer of the tool', async (_, options) => {
    const { token } = await makeToken(ada)
    const client = await transports[over](token, options)
    onTestFinished(() => client.close())
    const id = await makeJob({ userId: ada.id })
    await end(id)
    const pending = await makeJob({ userId: ada.id })
    const { structuredContent } = await client.callTool({
      name: 'WaitForGPUJobs',
      arguments: { ids: [id, pending], for: 'any' },
    })
    expect(structuredContent).toMatchObject({ waiting: 1, ended: [{ id, status: 'completed' }] })
    expect(client.getServerCapabilities()?.extensions?.[tasksExtension] !== undefined).toBe(
      'versionNegotiation' in options,
    )
  })
})
