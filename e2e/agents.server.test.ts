import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, it } from 'vitest'
import { agentJobSchema, createdJobSchema, logPartSchema } from '@/lib/agents/tool-schemas'
import { bearer, call } from './http-call'
import { theSystem } from './system/the-system'
import { clientOf, createUser, noLimits, type TestUser } from './test-users'
import { longRunning } from './uploads'

/** Connects the official MCP client to the running system. */

async function connect(token: string): Promise<Client> {
  const client = new Client({ name: 'an agent', version: '1' })
  const url = new URL(`${theSystem().url}/api/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(token) } }))
  return client
}

async function use(client: Client, name: string, input: Record<string, unknown>) {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: input })
  const [first] = content as { text: string }[]
  return { answer: structuredContent, isError: isError === true, text: first?.text ?? '' }
}

let jobs = 0
/** The input of a new job, with a name of its own. */
const newJob = () => ({
  name: `from an agent ${++jobs}`,
  gpu_count: 1,
  instance_count: 1,
  command: 'sh /opt/train.sh',
})

const view = async (client: Client, job_id: string) =>
  agentJobSchema.parse((await use(client, 'ViewGPUJob', { job_id })).answer)

async function create(client: Client, input: Record<string, unknown>): Promise<string> {
  const { answer, text } = await use(client, 'CreateGPUJob', { ...newJob(), ...input })
  expect(answer, text).toBeDefined()
  return createdJobSchema.parse(answer).job_id
}

let ada = {} as TestUser
beforeAll(async () => {
  ada = await createUser({ name: 'ada', limits: noLimits })
})

it('an agent runs a command and reads its complete output while it runs', async () => {
  const client = await connect(ada.token)
  const command =
    'i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "line $i ∂"; echo oops >&2; done; sleep 1; echo end'
  const job_id = await create(client, { command })
  let text = ''
  for (let at = { next_offset: 0, attempt: 0, ended: false }; !at.ended; ) {
    const input = {
      job_id,
      offset: at.next_offset,
      limit: 1000,
      ...(at.attempt > 0 ? { attempt: at.attempt } : {}),
    }
    const part = logPartSchema.parse((await use(client, 'ReadGPUJobLog', input)).answer)
    const next_offset = Number(part.next_offset)
    expect(next_offset - at.next_offset).toBe(Buffer.byteLength(part.text))
    text += part.text
    at = { ...part, next_offset }
    if (part.text === '') await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const lines = text.split('\n').filter((line) => line.startsWith('line'))
  expect(lines).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1} ∂`))
  expect(text.match(/oops/g)).toHaveLength(300)
  expect(await view(client, job_id)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    instances: [{ rank: 0, gpus: [expect.stringMatching(/^\d+: /)] }],
  })
})

it('an agent stops a running job', async () => {
  const client = await connect(ada.token)
  const job_id = await create(client, { command: 'exec sleep 3600', ...longRunning })
  await expect.poll(async () => (await view(client, job_id)).status).toBe('running')
  const { answer } = await use(client, 'StopGPUJob', { job_id })
  expect(agentJobSchema.parse(answer)).toMatchObject({ job_id })
  await expect.poll(async () => (await view(client, job_id)).reason).toBe('cancelled_by_user')
  const { isError } = await use(client, 'StopGPUJob', { job_id })
  expect(isError).toBe(false)
})

it('a multi-instance request uses eight GPUs per instance: a cluster without them refuses it, and says what fits', async () => {
  const client = await connect(ada.token)
  const asked = { ...newJob(), gpu_count: 1, instance_count: 2 }
  const { isError, text } = await use(client, 'CreateGPUJob', asked)
  expect(isError).toBe(true)
  expect(text).toMatch(/cannot start.*raised from 1 to 8.*instance_count 1 and gpu_count 2/s)
})

const broken: [rule: string, input: Record<string, unknown>, says: RegExp][] = [
  ['GPUs come in 1, 2, 4 and 8', { gpu_count: 6 }, /gpu_count: must be 1, 2, 4 or 8/],
  ['at most 8 instances', { gpu_count: 8, instance_count: 9 }, /instance_count: must be at most 8/],
  ['a job has a name', { name: '' }, /name: /],
]

it('each invalid request returns an error that names the rule and the fix, and creates no job', async () => {
  const client = await connect(ada.token)
  const before = await ada.client.jobs.list({})
  for (const [rule, input, says] of broken) {
    const { isError, text } = await use(client, 'CreateGPUJob', { ...newJob(), ...input })
    expect(isError, rule).toBe(true)
    expect(text, rule).toMatch(says)
  }
  expect((await ada.client.jobs.list({})).items.length).toBe(before.items.length)
})

it('requests without a valid token are rejected, and scopes restrict a token', async () => {
  const message = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  expect((await call('/api/mcp', { ...message, headers })).status).toBe(401)
  expect(
    (await call('/api/mcp', { ...message, headers: { ...headers, ...bearer('x'.repeat(40)) } })).status,
  ).toBe(401)
  const foreign = { ...headers, ...bearer(ada.token), origin: 'https://evil.example.org' }
  expect((await call('/api/mcp', { ...message, headers: foreign })).status).toBe(403)
  for (const method of ['GET', 'DELETE']) {
    expect((await call('/api/mcp', { method, headers: bearer(ada.token) })).status).toBe(405)
  }
  const { token } = await clientOf(ada.token).tokens.create({ name: 'reader', scopes: ['read'] })
  const reader = await connect(token)
  const { isError, text } = await use(reader, 'CreateGPUJob', newJob())
  expect({ isError, text }).toMatchObject({
    isError: true,
    text: expect.stringMatching(/lacks the scope "submit"/),
  })
})

it("another user's job is not found", async () => {
  const mine = await create(await connect(ada.token), { gpu_memory_gb: 1000 })
  const stranger = await connect((await createUser({ name: 'bob' })).token)
  for (const name of ['ViewGPUJob', 'DiagnoseGPUJob', 'StopGPUJob', 'ReadGPUJobLog']) {
    const { isError, text } = await use(stranger, name, { job_id: mine })
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringMatching(/no job with this id/),
    })
  }
  await ada.client.jobs.cancel(mine)
})
