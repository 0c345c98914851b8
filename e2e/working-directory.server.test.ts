import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentJobSchema, createdJobSchema } from '@/lib/agents/tool-schemas'
import { bearer } from './http-call'
import { openBarrier } from './program-barrier'
import { cliProgram, runCli } from './run-cli'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'

/** The working directory of an agent, or of `gpuq run --sync`, is the working directory of the job. */

let root: string
let ada: TestUser

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-working-'))
  ada = await createUser({ name: 'ada', limits: noLimits })
})
afterAll(() => rm(root, { recursive: true, force: true }))

const home = () => join(root, 'home')
const environment = () => ({ GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: ada.token })

async function makeDirectory(name: string, files: Record<string, string>): Promise<string> {
  const directory = join(root, name)
  await mkdir(home(), { recursive: true })
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return directory
}

/** Starts `gpuq mcp` in a directory, as an agent's program does. */
async function startAgent(directory: string): Promise<Client> {
  const client = new Client({ name: 'an agent', version: '1' })
  const env = { ...environment(), PATH: process.env.PATH ?? '', HOME: home() }
  const command = { command: process.execPath, args: [cliProgram, 'mcp'], cwd: directory, env }
  await client.connect(new StdioClientTransport(command))
  return client
}

async function use(client: Client, name: string, input: Record<string, unknown>) {
  const { structuredContent, isError, content } = await client.callTool({ name, arguments: input })
  const texts = (content as { text: string }[]).map(({ text }) => text)
  expect(isError === true, texts.join('\n')).toBe(false)
  return { answer: structuredContent, texts }
}

const read = (directory: string, path: string) => readFile(join(directory, path), 'utf8').catch(() => null)

/** A script that writes its log with absolute paths, and waits before it ends. */
const training = (directory: string) => `cd /
mkdir ${directory}/logs
echo "step 1 of $(cat ${directory}/data.txt)" > ${directory}/logs/train.log
while [ ! -e /job/go ]; do sleep 0.1; done
echo "step 2" >> ${directory}/logs/train.log
echo "by the job" > ${directory}/notes.txt
mkdir ${directory}/checkpoints && echo weights > ${directory}/checkpoints/model.pt
`

const files = (directory: string) => ({
  'train.sh': training(directory),
  'data.txt': 'squad',
  'notes.txt': 'sent',
  '.gitignore': '*.log\n',
})

it('an agent reads the log in its own directory while the job runs, and finds all files after its end', async () => {
  const directory = join(root, 'agent')
  await makeDirectory('agent', files(directory))
  const client = await startAgent(directory)
  const overHttp = new Client({ name: 'an agent', version: '1' })
  const url = new URL(`${theSystem().url}/api/mcp`)
  const requestInit = { headers: bearer(ada.token) }
  await overHttp.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  expect(await client.listTools()).toEqual(await overHttp.listTools())
  expect(client.getInstructions()).toBe(overHttp.getInstructions())

  const job = { name: 'bert-base-training', gpu_count: 1, instance_count: 1 }
  const created = await use(client, 'CreateGPUJob', { ...job, command: `sh ${directory}/train.sh` })
  const { job_id, working_directory } = createdJobSchema.parse(created.answer)
  expect(working_directory).toBe(directory)
  await expect.poll(() => read(directory, 'logs/train.log')).toBe('step 1 of squad\n')
  expect(agentJobSchema.parse((await use(client, 'ViewGPUJob', { job_id })).answer).status).toBe('running')
  await writeFile(join(directory, 'notes.txt'), 'changed by the agent')
  await openBarrier(job_id)
  const texts: string[] = []
  const statusOf = async () => {
    const view = await use(client, 'ViewGPUJob', { job_id })
    texts.push(...view.texts)
    return agentJobSchema.parse(view.answer).status
  }
  await expect.poll(statusOf).toBe('completed')
  expect(await read(directory, 'logs/train.log')).toBe('step 1 of squad\nstep 2\n')
  expect(await read(directory, 'checkpoints/model.pt')).toBe('weights\n')
  expect(await read(directory, 'notes.txt')).toBe('changed by the agent')
  expect(await read(directory, `notes.txt.gpuq-${job_id}`)).toBe('by the job\n')
  expect(texts.join('\n')).toContain(`notes.txt: it was changed here meanwhile`)
  await client.close()
  await overHttp.close()
})

it('a later session of the agent continues with the files of a running job', async () => {
  const directory = join(root, 'sessions')
  await makeDirectory('sessions', files(directory))
  const first = await startAgent(directory)
  const job = { name: 'a job', gpu_count: 1, command: `sh ${directory}/train.sh` }
  const { job_id } = createdJobSchema.parse((await use(first, 'CreateGPUJob', job)).answer)
  await expect.poll(() => read(directory, 'logs/train.log')).toBe('step 1 of squad\n')
  await first.close()
  await openBarrier(job_id)
  const second = await startAgent(directory)
  await expect.poll(() => read(directory, 'logs/train.log')).toBe('step 1 of squad\nstep 2\n')
  await expect.poll(() => read(directory, 'notes.txt')).toBe('by the job\n')
  await second.close()
})

it('run --sync brings files back while it follows the job', async () => {
  const directory = join(root, 'person')
  await makeDirectory('person', files(directory))
  const options = { home: home(), cwd: directory, env: environment() }
  const small = ['--gpus', '0', '--cpu', '0.5', '--memory', '0.25']
  const running = runCli(['run', '--sync', ...small, '--', 'echo begun; sh train.sh; pwd; exit 3'], options)
  await expect.poll(() => read(directory, 'logs/train.log')).toBe('step 1 of squad\n')
  const [newest] = (await ada.client.jobs.list({ limit: 1 })).items
  await openBarrier(newest?.job_id ?? '')
  expect(await running).toMatchObject({ code: 3, out: `begun\n${directory}\n` })
  expect(await read(directory, 'logs/train.log')).toBe('step 1 of squad\nstep 2\n')
  expect(await read(directory, 'notes.txt')).toBe('by the job\n')
  expect((await readdir(join(home(), '.cache', 'gpuq', 'sync'))).includes(newest?.job_id ?? '')).toBe(false)
})

it('the home directory is not sent, and a job without a working directory has no files to bring back', async () => {
  const directory = await makeDirectory('other', { 'a.txt': 'a' })
  const options = { home: directory, cwd: directory, env: environment() }
  const refused = await runCli(['run', '--sync', '--', 'ls'], options)
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('home directory') })
  const started = await runCli(['run', '--no-wait', '--', 'true'], options)
  const { code, err } = await runCli(['sync', started.out.trim()], options)
  expect([code, err]).toEqual([2, expect.stringContaining('no working directory')])
})
