import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aborted } from '@/lib/async/sleep'
import { type StepConnection, StepServer } from './step-server'

const line = `gpuq 1 ${'a'.repeat(43)} 01a207ed-920a-7743-8f8c-71c6bbd36e5e 12 0 0 1 100 0,1 /\n`

let directory: string
let server: StepServer
let steps: StepConnection[]
const sockets: Socket[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-steps-'))
  steps = []
  server = new StepServer(StepServer.portFileOf(join(directory, 'run'), 'n0'), (step) => steps.push(step))
  await server.open()
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.close()
  await rm(directory, { recursive: true })
})

async function connected(): Promise<Socket> {
  const port = Number(await readFile(server.portFile, 'utf8'))
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  sockets.push(socket)
  return socket
}

async function step(socket: Socket): Promise<StepConnection> {
  socket.write(line)
  await expect.poll(() => steps.length).toBe(1)
  const [first] = steps
  if (!first) throw new Error('No step arrived.')
  return first
}

/** What the server sends until it closes the connection. */
async function answer(socket: Socket): Promise<string> {
  let text = ''
  for await (const piece of socket.setEncoding('utf8')) text += piece
  return text
}

it('tells batch scripts of every user where it listens, and nothing after it is closed', async () => {
  const { mode } = await stat(server.portFile)
  expect(mode & 0o777).toBe(0o644)
  await server.close()
  await expect(stat(server.portFile)).rejects.toThrow('ENOENT')
  await server.open()
})

it('hands over a step, and ends it with an exit code', async () => {
  const socket = await connected()
  const one = await step(socket)
  expect(one.report).toMatchObject({ slurmId: 12, gpuIndexes: [0, 1] })
  one.exit(3, 'why')
  expect(one.answered).toBe(true)
  expect(await answer(socket)).toBe('say why\nexit 3\n')
  await aborted(one.closed)
})

it.each(['stop', 'limit'])('reports that Slurm stops the step: %s', async (word) => {
  const socket = await connected()
  const { stopping } = await step(socket)
  socket.write(`something else\n${word}\n`)
  await aborted(stopping)
})

it('reports that the step is gone', async () => {
  const socket = await connected()
  const { closed, answered } = await step(socket)
  socket.destroy()
  await aborted(closed)
  expect(answered).toBe(false)
})

const notSteps = ['GET / HTTP/1.1\r\n', 'x'.repeat(100_000)]
it.each(notSteps)('closes a connection that is no step', async (text) => {
  const socket = await connected()
  socket.write(text)
  expect(await answer(socket).catch(() => '')).toBe('')
  expect(steps).toEqual([])
})
