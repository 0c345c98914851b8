import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type GpuqError, invalidRequest } from '@/lib/contract/errors'
import { fakeContext, jobId } from '../testing/fake-context'
import { readStates } from '../working-files/sync-state'
import { AgentFiles } from './agent-files'
import { AgentTools } from './agent-tools'

let root: string
let directory: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-agent-'))
  directory = join(root, 'project')
  await mkdir(directory)
  await writeFile(join(directory, 'train.sh'), 'echo 1')
})
afterEach(() => rm(root, { recursive: true }))

/** The tools in front of a server, with the calls that it got. Each upload has another hash. */
async function open(
  shared: string | null = null,
  answer: Partial<CallToolResult> = {},
  place: string | GpuqError = directory,
  checked: Partial<CallToolResult> = {},
) {
  const calls: CallToolRequest['params'][] = []
  let uploads = 0
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/working-files'))
      return Response.json({ working_directory: directory, files: [], next: 0, more: false, ended: false })
    if (request.method === 'POST') {
      uploads += 1
      return Response.json({ archive: `archive ${uploads}`, missing: [] })
    }
    return Response.json({ max_bytes: 1000, max_entries: 10, shared_directory: shared })
  })
  context.env = { ...context.env, XDG_CACHE_HOME: join(root, 'cache') }
  const files = new AgentFiles(context, await context.connect())
  const checks: CallToolRequest['params'][] = []
  const forward = async (call: CallToolRequest['params']): Promise<CallToolResult> => {
    if (call.name === 'PreviewGPUJobs') {
      checks.push(call)
      return { content: [], ...checked }
    }
    calls.push(call)
    return { content: [], structuredContent: { job_id: jobId, status: 'queued' }, ...answer }
  }
  const tools = new AgentTools({ context, files, forward, server: 'http://gpuq.test', directory: place })
  const create = (more: Record<string, unknown> = {}) =>
    tools.call({ name: 'CreateGPUJob', arguments: { name: 'a job', ...more } })
  return { context, files, tools, calls, checks, create, uploads: () => uploads }
}

it('a job gets the directory of the agent, at its path', async () => {
  const { create, calls, context, files } = await open()
  await create({ project_id: 'p' })
  expect(calls).toEqual([
    {
      name: 'CreateGPUJob',
      arguments: { name: 'a job', project_id: 'p', working_directory: directory, archive: 'archive 1' },
    },
  ])
  expect(await readStates(context.env)).toMatchObject([{ jobId, directory, server: 'http://gpuq.test' }])
  await files.close()
})

it('the directory is not sent for a job that would be refused', async () => {
  const content = [{ type: 'text' as const, text: 'This job cannot start.\nUse fewer GPUs.' }]
  const { create, calls, checks, uploads } = await open(null, {}, directory, { isError: true, content })
  expect(await create({ gpu_count: 8 })).toEqual({ content, isError: true })
  expect(checks).toEqual([
    { name: 'PreviewGPUJobs', arguments: { name: 'a job', gpu_count: 8, working_directory: directory } },
  ])
  expect([calls, uploads()]).toEqual([[], 0])
})

it('a server of an earlier version, without the check, gets the directory', async () => {
  const content = [
    { type: 'text' as const, text: 'There is no tool "PreviewGPUJobs". Use one of CreateGPUJob.' },
  ]
  const { create, calls, files } = await open(null, {}, directory, { isError: true, content })
  await create()
  expect(calls).toMatchObject([{ name: 'CreateGPUJob', arguments: { archive: 'archive 1' } }])
  await files.close()
})

it('a job that the agent only checks would get the directory, unless the cluster shares it', async () => {
  for (const [shared, more] of [
    [null, { working_directory: directory }],
    [root, {}],
  ] as const) {
    const { tools, checks, uploads } = await open(shared)
    await tools.call({ name: 'PreviewGPUJobs', arguments: { name: 'a job' } })
    expect(checks).toEqual([{ name: 'PreviewGPUJobs', arguments: { name: 'a job', ...more } }])
    expect(uploads()).toBe(0)
  }
})

it.each([{}, { isError: true, structuredContent: {} }])(
  'the answer %j says what was not sent, and why',
  async (answer) => {
    await writeFile(join(directory, '.env'), 'KEY=example')
    const { create, files } = await open(null, answer)
    const { content } = await create()
    expect(content).toEqual([
      {
        type: 'text',
        text: 'Not sent: 1 file: .env (default). To send some of them, add a line !NAME to .gpuqignore.',
      },
    ])
    await files.close()
  },
)

it('a repeated call with a key sends the same directory, although files have changed', async () => {
  const { create, calls, files } = await open()
  for (const key of ['a', 'a', 'b']) {
    await create({ idempotency_key: key })
    await writeFile(join(directory, 'train.log'), key)
  }
  expect(calls.map((call) => call.arguments?.archive)).toEqual(['archive 1', 'archive 1', 'archive 2'])
  await files.close()
})

it.each([{ archive: 'code@3' }, { working_directory: '/elsewhere' }])(
  'a call that names %j sends nothing',
  async (named) => {
    const { create, calls, context } = await open()
    await create(named)
    expect(calls).toEqual([{ name: 'CreateGPUJob', arguments: { name: 'a job', ...named } }])
    expect(await readStates(context.env)).toEqual([])
  },
)

it('a group starts in the directory of the agent too, and its files do not return', async () => {
  const { tools, calls, context } = await open(null, { structuredContent: { group_id: jobId, members: 2 } })
  const { content } = await tools.call({ name: 'SubmitGPUJobs', arguments: { matrix: { lr: [1, 2] } } })
  const place = { working_directory: directory, archive: 'archive 1' }
  expect(calls).toEqual([{ name: 'SubmitGPUJobs', arguments: { matrix: { lr: [1, 2] }, ...place } }])
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('do not return') }])
  expect(await readStates(context.env)).toEqual([])
})

it('a directory that the cluster shares is not sent', async () => {
  const { create, calls } = await open(root)
  await create()
  expect(calls).toEqual([{ name: 'CreateGPUJob', arguments: { name: 'a job' } }])
})

it('a refused job has no files that return', async () => {
  const refused = { isError: true, structuredContent: {} }
  const { create, context } = await open(null, refused)
  expect(await create()).toMatchObject(refused)
  expect(await readStates(context.env)).toEqual([])
})

it('the agent can read why its directory cannot be sent', async () => {
  const { create, calls } = await open()
  await writeFile(join(directory, 'data.bin'), Buffer.alloc(2000))
  const result = await create()
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('data.bin') }] })
  expect(calls).toEqual([])
})

it('a text of a server or a job cannot control the terminal that shows it', async () => {
  const text = 'log \u001b]52;c;cm0=\u0007\u009b2J\u202e \u001b[31mred\u001b[0m'
  const { tools } = await open(null, { content: [{ type: 'text', text }] })
  const shown = 'log \\u001b]52;c;cm0=\\u0007\\u009b2J\\u202e \u001b[31mred\u001b[0m'
  for (const name of ['ReadGPUJobLog', 'CreateGPUJob']) {
    const result = await tools.call({ name, arguments: { name: 'a job', archive: 'code' } })
    expect(result.content).toEqual([{ type: 'text', text: shown }])
  }
})

it('the answer of a wait, from its call or from its task, says what happened to the files of the jobs that have ended', async () => {
  const waited = { structuredContent: { ended: [{ id: jobId }], waiting: 0 } }
  const { tools, files } = await open(null, waited)
  const finish = vi.spyOn(files, 'finish')
  vi.spyOn(files, 'takeReports').mockImplementation((id) => [`${id}: notes.txt was changed here`])
  const content = [{ type: 'text', text: `${jobId}: notes.txt was changed here` }]
  const called = await tools.call({ name: 'WaitForGPUJobs', arguments: { ids: [jobId] } })
  expect(called).toMatchObject({ ...waited, content })
  const task = { status: 'completed', result: { content: [], ...waited } }
  expect(await tools.finishTask(task)).toEqual({ ...task, result: { ...waited, content } })
  expect(finish.mock.calls.map(([id]) => id)).toEqual([jobId, jobId])
  const working = { status: 'working', taskId: 'x' }
  expect(await tools.finishTask(working)).toEqual(working)
})

it('without a working directory, the tools work, and a new job is told how to have one', async () => {
  const { create, tools, calls } = await open(
    null,
    {},
    invalidRequest('/root is or has your home directory.'),
  )
  const result = await create()
  expect(result).toMatchObject({ isError: true })
  expect(JSON.stringify(result.content)).toMatch(
    /home directory.*Start `gpuq mcp` in the directory of the project/,
  )
  expect(calls).toEqual([])
  await create({ archive: 'code@3' })
  await tools.call({ name: 'ViewGPUCluster', arguments: {} })
  expect(calls.map(({ name }) => name)).toEqual(['CreateGPUJob', 'ViewGPUCluster'])
})
