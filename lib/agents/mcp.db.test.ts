import type { Client, ClientOptions } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { call } from '../access/testing/call'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { agentRoutes } from './routes'
import { connectAgent } from './testing/connect-agent'
import { createdJobSchema } from './tool-schemas'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_WORKSPACES', '*/shared=/workspace')
})
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  await makeJob({ userId: bob.id })
  await db.pool.query(
    `UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000, job_limits = '{"max_priority": 100}'`,
  )
})

const connectAs = async (person: Person, ...scopes: Parameters<typeof makeToken>[1][]) =>
  connectAgent((await makeToken(person, ...scopes)).token)

let jobs = 0
/** The input of a new job, with a name of its own. */
const newJob = () => ({
  name: `job ${++jobs}`,
  gpu_count: 1,
  instance_count: 1,
  command: 'sh /opt/train.sh',
})

async function use(client: Client, name: string, input: Record<string, unknown>) {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: input })
  const [first] = content as { type: string; text: string }[]
  const answer = structuredContent as Record<string, unknown> | undefined
  return { answer, isError: isError === true, text: first?.text ?? '' }
}

const countJobs = async () => (await db.pool.query('SELECT 1 FROM jobs')).rowCount

describe('a client of the protocol', () => {
  it.each([
    ['2024-11-05', { supportedProtocolVersions: ['2024-11-05'] }],
    ['2025-03-26', { supportedProtocolVersions: ['2025-03-26'] }],
    ['2025-06-18', { supportedProtocolVersions: ['2025-06-18'] }],
    ['2025-11-25', {}],
    ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
  ] satisfies [string, ClientOptions][])('may use its revision %s', async (revision, options) => {
    const { token } = await makeToken(await makePerson())
    const client = await connectAgent(token, options)
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(13)
    const { answer, text } = await use(client, 'CreateGPUJob', newJob())
    expect(answer).toMatchObject({ status: 'queued' })
    expect(JSON.parse(text)).toEqual(answer)
    expect(await use(client, 'CreateGPUJob', { ...newJob(), gpu_count: 3 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('gpu_count: must be 1, 2, 4 or 8'),
    })
  })

  it('cannot hold a connection with a subscription', async () => {
    const { token } = await makeToken(await makePerson())
    const client = await connectAgent(token, { versionNegotiation: { mode: 'auto' } })
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow('Subscription limit reached')
  })
})

describe('an agent with the official client', () => {
  it('lists the tools with their input and output schemas', async () => {
    const client = await connectAs(ada)
    expect(client.getServerVersion()).toMatchObject({ name: 'gpuq' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'CreateGPUJob',
      'SubmitGPUJobs',
      'PreviewGPUJobs',
      'WaitForGPUJobs',
      'ViewGPUJob',
      'DiagnoseGPUJob',
      'GetGPUJobMetrics',
      'CompareGPUJobs',
      'StopGPUJob',
      'ListGPUJobs',
      'ReadGPUJobLog',
      'GetGPUBudget',
      'ViewGPUCluster',
    ])
    expect(tools[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { gpu_count: { minimum: 1, maximum: 8 }, instance_count: { minimum: 1, maximum: 8 } },
      required: ['name', 'gpu_count', 'command'],
    })
  })

  it('creates a job, reads it, lists jobs, reads the log and stops the job', async () => {
    const client = await connectAs(ada)
    const input = newJob()
    const created = await use(client, 'CreateGPUJob', {
      ...input,
      gpu_count: 4,
      project_id: 'agents',
      priority: 3,
    })
    expect(created.answer).toMatchObject({ status: 'queued', gpu_count: 4, warnings: [], repeated: false })
    expect(JSON.parse(created.text)).toEqual(created.answer)
    const { job_id } = createdJobSchema.parse(created.answer)
    expect(await use(client, 'ViewGPUJob', { job_id })).toMatchObject({
      answer: { job_id, name: input.name, status: 'queued', gpu_count: 4, project_id: 'agents', priority: 3 },
    })
    expect(await use(client, 'ReadGPUJobLog', { job_id })).toMatchObject({
      answer: { text: '', next_offset: 0, ended: false },
    })
    expect(await use(client, 'ListGPUJobs', {})).toMatchObject({
      answer: { jobs: [{ job_id }], next_cursor: null },
    })
    for (const _ of [1, 2]) {
      expect(await use(client, 'StopGPUJob', { job_id })).toMatchObject({
        answer: { status: 'cancelled', reason: 'cancelled_by_user' },
      })
    }
    expect(await use(client, 'ReadGPUJobLog', { job_id })).toMatchObject({
      answer: { text: '', ended: true },
    })
    expect(await use(client, 'ViewGPUCluster', {})).toMatchObject({
      answer: { total_gpus: 0, environments: [{ name: 'python', is_default: true }] },
    })
  })

  it('may write null for what it leaves out', async () => {
    const client = await connectAs(ada)
    const left = { project_id: null, environment: null, archive: null, mounts: null, max_time: null }
    const { answer } = await use(client, 'CreateGPUJob', { ...newJob(), ...left, priority: null, env: null })
    expect(answer).toMatchObject({ status: 'queued', gpu_count: 1 })
    const { token } = await makeToken(ada)
    const send = (method: string, params: unknown) =>
      agentRoutes.message(
        new Request('http://localhost:8001/api/mcp', {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        }),
        { params: Promise.resolve({}) },
      )
    expect(await (await send('tools/list', null)).json()).toMatchObject({
      result: { tools: expect.any(Array) },
    })
    const listed = await send('tools/call', { name: 'ListGPUJobs', arguments: null })
    expect(await listed.json()).toMatchObject({ result: { structuredContent: { jobs: expect.any(Array) } } })
  })

  it('learns what to change from a job that has failed', async () => {
    const client = await connectAs(ada)
    const { answer } = await use(client, 'CreateGPUJob', newJob())
    const { job_id } = createdJobSchema.parse(answer)
    const waiting = await use(client, 'ViewGPUJob', { job_id })
    expect(waiting.answer).toMatchObject({ advice: null, diagnosis: null })
    expect((await use(client, 'DiagnoseGPUJob', { job_id })).answer).toMatchObject({ cause: null })
    await db.pool.query(
      `UPDATE jobs SET status = 'failed', reason = 'timeout', ended_at = now() WHERE id = $1`,
      [job_id],
    )
    expect((await use(client, 'ViewGPUJob', { job_id })).answer).toMatchObject({
      status: 'failed',
      advice: expect.stringMatching(/max_time|time limit/),
      diagnosis: expect.stringMatching(/^timeout: The job reached its time limit\./),
    })
    const diagnosed = await use(client, 'DiagnoseGPUJob', { job_id })
    expect(diagnosed.answer).toMatchObject({ status: 'failed', cause: 'timeout', fault: 'limits' })
    expect(diagnosed.text).toMatch(/^Cause: The job reached its time limit\. \(timeout\)\n.*\nNext step: /)
  })

  it('gets whole instances of eight GPUs if it requests several, and the answer says so', async () => {
    const client = await connectAs(ada)
    const asked = { ...newJob(), gpu_count: 4, instance_count: 3 }
    const { answer, text } = await use(client, 'CreateGPUJob', asked)
    expect(text).toMatch(/^This job takes 24 GPUs\. /)
    expect(answer).toMatchObject({
      gpu_count: 8,
      instance_count: 3,
      warnings: [expect.stringMatching(/^This job takes 24 GPUs\. .* from 4 to 8\.$/)],
    })
    const { job_id } = createdJobSchema.parse(answer)
    expect(await use(client, 'ViewGPUJob', { job_id })).toMatchObject({
      answer: { gpu_count: 8, instance_count: 3 },
    })
    const whole = await use(client, 'CreateGPUJob', { ...newJob(), gpu_count: 8, instance_count: 3 })
    expect(whole.answer).toMatchObject({ gpu_count: 8, warnings: [] })
    const few = await use(client, 'CreateGPUJob', { ...newJob(), gpu_count: 1, instance_count: 2 })
    expect(few.answer).toMatchObject({
      gpu_count: 8,
      instance_count: 2,
      warnings: [expect.stringMatching(/raised from 1 to 8.*instance_count 1 and gpu_count 2/)],
    })
  })

  it('is told what fits, if its request never fits as it was raised', async () => {
    const { leaseId } = await makeNode({ gpus: 2 })
    const client = await connectAs(ada)
    const asked = { ...newJob(), gpu_count: 1, instance_count: 2 }
    const { isError, text } = await use(client, 'CreateGPUJob', asked)
    expect(isError).toBe(true)
    expect(text).toMatch(/cannot start.*raised from 1 to 8.*create it with instance_count 1 and gpu_count 2/s)
    await db.pool.query('DELETE FROM nodes WHERE lease_id = $1', [leaseId])
  })

  it('can ask before it creates a job', async () => {
    const { leaseId } = await makeNode({ gpus: 2 })
    onTestFinished(async () => {
      await db.pool.query('DELETE FROM nodes WHERE lease_id = $1', [leaseId])
    })
    const client = await connectAs(ada)
    const before = await countJobs()
    const checked = await use(client, 'PreviewGPUJobs', { ...newJob(), project_id: 'asked' })
    expect(checked.answer).toMatchObject({
      summary: expect.stringMatching(/Nothing was queued\. It would .* Creates the private project "asked"/),
      expected_start: expect.any(String),
      gpu_count: 1,
      warnings: [],
    })
    const asked = { ...newJob(), gpu_count: 1, instance_count: 2 }
    const [refused, real] = [
      await use(client, 'PreviewGPUJobs', asked),
      await use(client, 'CreateGPUJob', asked),
    ]
    expect(refused).toEqual(real)
    expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/cannot start/) })
    // The directory that is sent later.
    const there = {
      ...newJob(),
      command: 'sh /home/ada/project/train.sh',
      working_directory: '/home/ada/project',
    }
    expect((await use(client, 'PreviewGPUJobs', there)).answer).toMatchObject({ warnings: [] })
    expect(await countJobs()).toBe(before)
    expect((await use(client, 'CreateGPUJob', there)).answer).toMatchObject({
      warnings: [expect.stringContaining('will not have "/home/ada/project/train.sh"')],
    })
  })

  it('runs a command in an uploaded directory', async () => {
    const client = await connectAs(ada)
    const { answer } = await use(client, 'CreateGPUJob', { ...newJob(), project_id: 'shipped' })
    const hash = 'cd'.repeat(32)
    const manifest = { version: 1, entries: [{ path: 'train.py', bytes: 8, sha256: 'ab'.repeat(32) }] }
    await db.pool.query(
      `WITH archive AS (
         INSERT INTO archives (id, project_id, hash, manifest, files, bytes)
         SELECT gen_random_uuid(), project_id, decode($2, 'hex'), $3, 1, 8 FROM jobs WHERE id = $1 RETURNING id)
       INSERT INTO archive_holders (archive_id, user_id)
       SELECT archive.id, j.user_id FROM archive, jobs j WHERE j.id = $1`,
      [answer?.job_id, hash, JSON.stringify(manifest)],
    )
    const input = () => ({
      ...newJob(),
      project_id: 'shipped',
      archive: hash,
      command: 'python /work/train.py',
    })
    const created = await use(client, 'CreateGPUJob', input())
    expect(created.answer).toMatchObject({ working_directory: '/work' })
    const { job_id } = created.answer ?? {}
    expect((await use(client, 'ViewGPUJob', { job_id })).answer).toMatchObject({ working_directory: '/work' })
    await db.pool.query(
      `INSERT INTO snapshots (id, project_id, name, version, archive_id)
       SELECT gen_random_uuid(), project_id, 'code', 1, id FROM archives WHERE hash = decode($1, 'hex')`,
      [hash],
    )
    const named = await use(client, 'CreateGPUJob', { ...input(), archive: 'code' })
    expect(named.answer).toMatchObject({ working_directory: '/work' })
    const near = await use(client, 'CreateGPUJob', { ...input(), archive: 'coed@1' })
    expect(near).toMatchObject({ isError: true, text: expect.stringContaining('Did you mean code?') })
    const unknown = await use(client, 'CreateGPUJob', { ...input(), archive: 'ef'.repeat(32) })
    expect(unknown).toMatchObject({
      isError: true,
      text: expect.stringContaining('does not have this directory'),
    })
  })

  it('may repeat a call with one key, which creates one job', async () => {
    const client = await connectAs(ada)
    const input = { ...newJob(), idempotency_key: 'try-1' }
    const [first, second] = [
      await use(client, 'CreateGPUJob', input),
      await use(client, 'CreateGPUJob', input),
    ]
    expect(first.answer).toMatchObject({ repeated: false })
    expect(second.answer).toMatchObject({ repeated: true, job_id: first.answer?.job_id })
    expect(await use(client, 'CreateGPUJob', { ...input, name: 'another' })).toMatchObject({ isError: true })
  })
})

describe('the name of a job', () => {
  it('the name of a job of one that has not ended is refused, with the id of that job', async () => {
    const client = await connectAs(ada)
    const input = newJob()
    const { job_id } = createdJobSchema.parse((await use(client, 'CreateGPUJob', input)).answer)
    const refused = await use(client, 'CreateGPUJob', { ...input, project_id: 'another' })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`your job ${job_id}`) })
    await use(client, 'StopGPUJob', { job_id })
    expect(await use(client, 'CreateGPUJob', input)).toMatchObject({ isError: false })
  })

  it('may be the name of another user’s job', async () => {
    const input = newJob()
    expect(await use(await connectAs(ada), 'CreateGPUJob', input)).toMatchObject({ isError: false })
    expect(await use(await connectAs(bob), 'CreateGPUJob', input)).toMatchObject({ isError: false })
  })

  it('is given to one of several concurrent calls', async () => {
    const client = await connectAs(ada)
    const input = newJob()
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(client, 'CreateGPUJob', input)))
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    const refused = answers.filter(({ text }) => text.includes('which has not ended'))
    expect(refused).toHaveLength(7)
  })
})

describe('a command', () => {
  it('a command that needs the internet gets a hint which environment has it', async () => {
    const client = await connectAs(ada)
    const online = { ...newJob(), command: 'pip install torch && python /opt/train.py' }
    expect((await use(client, 'CreateGPUJob', online)).answer).toMatchObject({
      warnings: [expect.stringMatching(/runs pip,.*"python" has no internet access.*ask an admin/)],
    })
    await db.pool.query(
      `INSERT INTO environments (id, name, image, network) VALUES (gen_random_uuid(), 'online', 'gpuq/python:2', 'internet')`,
    )
    expect((await use(client, 'CreateGPUJob', { ...online, name: newJob().name })).answer).toMatchObject({
      warnings: [expect.stringMatching(/Use an environment that has it: "online"\.$/)],
    })
    const there = { ...online, name: newJob().name, environment: 'online' }
    expect((await use(client, 'CreateGPUJob', there)).answer).toMatchObject({ warnings: [] })
    expect((await use(client, 'ViewGPUCluster', {})).answer).toMatchObject({
      environments: [
        { name: 'python', network: 'none' },
        { name: 'online', network: 'internet' },
      ],
    })
  })

  it.each([
    [
      'sh train.sh',
      /^"train.sh" is not an absolute path\..*starts in an empty directory.*absolute path, as in/,
    ],
    ['./train.sh', /^"\.\/train\.sh" is not/],
    ['cd src && python /opt/x.py', /^"src" is not/],
    ['sh /workspace/train.sh', /^The job will not have "\/workspace\/train\.sh".*gpuq push/],
    [
      'cd /work && python /work/train.py',
      /^The job will not have "\/work\/train\.py".*only the files of its image\./,
    ],
    [
      'python /opt/train.py --data=/datasets/a > /logs/x',
      /^The job will not have "\/datasets\/a", "\/logs\/x"/,
    ],
  ])('is queued with a hint about a path that the job may not have: %s', async (command, hint) => {
    const client = await connectAs(ada)
    const warnings = [expect.stringMatching(hint)]
    expect((await use(client, 'PreviewGPUJobs', { ...newJob(), command })).answer).toMatchObject({ warnings })
    const created = await use(client, 'CreateGPUJob', { ...newJob(), command })
    expect(created.answer).toMatchObject({ status: 'queued', warnings })
  })

  it('gets a hint that names the directory in which a relative path begins', async () => {
    const input = { ...newJob(), project_id: 'shared', command: 'sh train.sh' }
    expect((await use(await connectAs(ada), 'CreateGPUJob', input)).answer).toMatchObject({
      working_directory: '/workspace',
      warnings: [expect.stringMatching(/"train.sh" is not an absolute path.*starts in \/workspace:/)],
    })
  })

  it('accepts the examples of the document in a shared directory', async () => {
    const client = await connectAs(ada)
    const examples = [
      ['bert-base-training', 1, 1, 'sh /workspace/experiments/train_bert.sh'],
      ['llama-finetuning', 4, 1, 'sh /workspace/projects/llama/scripts/distributed_train.sh'],
      ['gpt-training-large', 8, 2, 'bash /workspace/gpt/training/launch_distributed.sh'],
    ] as const
    for (const [name, gpu_count, instance_count, command] of examples) {
      const input = { name, gpu_count, instance_count, command, project_id: 'shared' }
      expect((await use(client, 'CreateGPUJob', input)).answer).toMatchObject({
        name,
        gpu_count,
        instance_count,
        warnings: [],
        working_directory: '/workspace',
      })
    }
  })

  it('may use the shared directory of its project, also of a new project', async () => {
    const client = await connectAs(ada)
    const command = 'sh /workspace/experiments/train_bert.sh'
    for (const _ of [1, 2]) {
      const input = { ...newJob(), project_id: 'shared', command }
      expect((await use(client, 'CreateGPUJob', input)).answer).toMatchObject({
        working_directory: '/workspace',
        warnings: [],
      })
    }
    const elsewhere = await use(client, 'CreateGPUJob', { ...newJob(), command })
    expect(elsewhere.answer).toMatchObject({ warnings: [expect.stringContaining('will not have')] })
  })
})

it('an agent sees the GPUs of the cluster with model and memory', async () => {
  await makeNode({ name: 'lab-1', gpus: 2 })
  expect((await use(await connectAs(ada), 'ViewGPUCluster', {})).answer).toMatchObject({
    total_gpus: 2,
    nodes: [{ name: 'lab-1', gpus: 2, free_gpus: 2, gpu_models: ['Simulated GPU'], gpu_memory_gb: 24 }],
  })
})

it('an agent sees what is left of the GPU hours of its user', async () => {
  const client = await connectAs(ada)
  expect((await use(client, 'GetGPUBudget', {})).answer).toEqual({
    summary: 'No budget limits your GPU hours.',
    budgets: [],
  })
  await db.pool.query(`UPDATE users SET gpu_hour_budget = 40 WHERE id = $1`, [ada.id])
  expect((await use(client, 'GetGPUBudget', {})).answer).toMatchObject({
    summary: `User ${ada.handle}: 0 of 40 GPU hours used; 40 left.`,
    budgets: [{ kind: 'user', left_gpu_hours: 40 }],
  })
})

describe('an invalid call', () => {
  it.each([
    ['no such number of GPUs', { gpu_count: 3 }, /gpu_count: must be 1, 2, 4 or 8/],
    ['too many instances', { gpu_count: 8, instance_count: 9 }, /instance_count: must be at most 8/],
    ['no instance', { instance_count: 0 }, /instance_count: must be at least 1/],
    ['an empty name', { name: ' ' }, /name: is empty/],
    ['no command', { command: undefined }, /command: /],
    ['a field that is not there', { gpus: 2 }, /gpus: this field does not exist/],
    ['an unknown environment', { environment: 'cobol' }, /no environment "cobol": use one of "python"/],
    ['a variable of ours', { env: { NVIDIA_VISIBLE_DEVICES: 'all' } }, /reserved/],
  ])('returns an error that says how to correct it: %s', async (_, change, message) => {
    const client = await connectAs(ada)
    const before = await countJobs()
    const refused = await use(client, 'CreateGPUJob', { ...newJob(), ...change })
    expect(refused).toMatchObject({ isError: true, answer: undefined })
    expect(refused.text).toMatch(message)
    expect(await countJobs()).toBe(before)
  })

  it('gets all errors at once', async () => {
    const client = await connectAs(ada)
    const { text } = await use(client, 'CreateGPUJob', { ...newJob(), gpu_count: 5, instance_count: 99 })
    expect(text).toMatch(/gpu_count.*\n.*instance_count/)
  })

  it('respects the submission limits', async () => {
    const eve = await makePerson()
    await db.pool.query('UPDATE users SET max_active_jobs = 1 WHERE id = $1', [eve.id])
    const client = await connectAs(eve)
    expect(await use(client, 'CreateGPUJob', newJob())).toMatchObject({ isError: false })
    expect(await use(client, 'CreateGPUJob', newJob())).toMatchObject({
      isError: true,
      text: expect.stringMatching(/your limit is 1/),
    })
  })
})

it('the log of a job cannot control the terminal that shows it to a person, and is exact as data', async () => {
  const job_id = await makeJob({ userId: ada.id })
  const taskId = await placeManually((await makeNode()).nodeId, job_id)
  const log = 'x\u001b]52;c;cm0=\u0007\u009b2J\u202e \u001b[31mred\u001b[0m'
  const record = `${JSON.stringify({ type: 'stdout', t: '2026-11-21T10:00:00.000Z', text: log, eol: false })}\n`
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    taskId,
    Buffer.from(record),
  ])
  const { text, answer } = await use(await connectAs(ada), 'ReadGPUJobLog', { job_id })
  expect(text).toBe('> x\\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e \u001b[31mred\u001b[0m')
  expect(answer).toMatchObject({ text: log })
})

describe('the rights of an agent', () => {
  it('do not distinguish other users’ jobs from unknown jobs', async () => {
    const mine = await use(await connectAs(ada), 'CreateGPUJob', newJob())
    const job_id = mine.answer?.job_id
    const client = await connectAs(bob)
    for (const name of ['ViewGPUJob', 'DiagnoseGPUJob', 'StopGPUJob', 'ReadGPUJobLog']) {
      const theirs = await use(client, name, { job_id })
      expect(theirs).toMatchObject({
        isError: true,
        text: 'You have no job with this id. ListGPUJobs lists your jobs.',
      })
      expect(await use(client, name, { job_id: 'never was' })).toEqual(theirs)
    }
  })

  it('are those of its token', async () => {
    const reader = await connectAs(ada, ['read'])
    const writer = await connectAs(ada, ['submit'])
    expect(await use(reader, 'CreateGPUJob', newJob())).toMatchObject({
      isError: true,
      text: expect.stringMatching(/lacks the scope "submit"/),
    })
    expect(await use(reader, 'ListGPUJobs', {})).toMatchObject({ isError: false })
    expect(await use(writer, 'ListGPUJobs', {})).toMatchObject({
      isError: true,
      text: expect.stringMatching(/lacks the scope "read"/),
    })
  })

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const accept = { accept: 'application/json, text/event-stream' }
  const post = (options: object) =>
    call(agentRoutes.message, '/api/mcp', { method: 'POST', body: ping, headers: accept, ...options })

  it('need a valid token; a browser session is not enough', async () => {
    await expect(connectAgent('x'.repeat(40))).rejects.toThrow(/Invalid or expired token/)
    expect(await post({})).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(await post({ cookie: ada.cookie })).toMatchObject({ status: 401 })
    const { token } = await makeToken(ada)
    expect(await post({ token })).toMatchObject({ status: 200, body: { id: 1, result: {} } })
  })

  it('do not include requests from pages of other sites, even with a token', async () => {
    const { token } = await makeToken(ada)
    expect(await post({ token, headers: { ...accept, origin: 'https://evil.example.org' } })).toMatchObject({
      status: 403,
    })
  })

  it('do not include invalid messages', async () => {
    const { token } = await makeToken(ada)
    expect(await post({ token, body: [ping] })).toMatchObject({ status: 422 })
    expect(await post({ token, body: '{' })).toMatchObject({ status: 400 })
    expect(await post({ token, body: { jsonrpc: '2.0' } })).toMatchObject({ status: 400 })
    expect(await post({ token, body: `{"x":"${'x'.repeat(300_000)}"}` })).toMatchObject({ status: 413 })
    expect(
      await post({ token, body: { ...ping, method: 'tools/call', params: { name: 'Nope' } } }),
    ).toMatchObject({
      status: 200,
      body: { result: { isError: true } },
    })
  })
})
