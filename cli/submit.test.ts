import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '@/lib/http/client/client'
import { submit } from './commands/submit'
import { fakeContext, jobId } from './testing/fake-context'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-cli-submit-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function write(files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return directory
}

const accepted = { job_id: jobId, status: 'pending' }

interface Received {
  path: string
  key: string | undefined
  body: string
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void
const accept: Answer = (response) => {
  response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(accepted))
}

/** A context for a real HTTP server that gives each request the next answer, and repeats the last one. */
async function contextOf(...answers: Answer[]) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const key = request.headers['idempotency-key']
    received.push({ path: request.url ?? '', key: Array.isArray(key) ? key[0] : key, body })
    ;(answers[received.length - 1] ?? answers.at(-1))?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const waits: number[] = []
  const context = {
    ...fakeContext(() => Response.error()),
    connect: async () => createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'a-token' }),
    sleep: async (ms: number) => {
      waits.push(ms)
    },
  }
  return { context, received, waits }
}

const breakOff: Answer = (_, request) => request.socket.destroy()
const breakWithinAnswer: Answer = (response, request) => {
  response.writeHead(202, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"job_id":', () => request.socket.destroy())
}
const unavailable: Answer = (response) => {
  const problem = {
    title: 'Unavailable',
    status: 503,
    detail: 'The database does not answer.',
    code: 'unavailable',
  }
  response
    .writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '7' })
    .end(JSON.stringify({ type: 'about:blank', ...problem }))
}

it.each([
  ['run.sh', '#!/bin/bash\necho\n', /is a shell script.*gpuq submit DIRECTORY --entrypoint run\.sh\.$/],
  ['a.ipynb', '{"cells": [], "nbformat": 4}', /is a Jupyter notebook.*nbconvert/],
  ['project.zip', 'PK\u0003\u0004', /is an archive.*unpack it/],
])('sends no %s as a program, and says what to submit', async (name, content, message) => {
  const { context, received } = await contextOf(accept)
  const path = join(await write({ [name]: content }), name)
  await expect(submit(context, path, undefined, { wait: false, quiet: true })).rejects.toThrow(message)
  expect(received).toEqual([])
})

describe('a config that is the only file', () => {
  const command = 'project_id: p\ncommand: cat package.json\n'

  it.each([
    ['a command', command, '/api/submit?wait=false'],
    ['a command and an array', `${command}array: 0-3\n`, '/api/groups'],
    ['members with commands', 'project_id: p\nmembers:\n  - {name: a, command: ls}\n', '/api/groups'],
  ])('a config with %s is submitted as a config, without a program', async (_, content, address) => {
    const refuse: Answer = (response) => {
      const problem = { type: 'about:blank', title: 'x', status: 422, code: 'conflict', detail: 'arrived' }
      response.writeHead(422, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
    }
    const { context, received } = await contextOf(refuse)
    const path = join(await write({ 'arr.yaml': content }), 'arr.yaml')
    await expect(submit(context, path, undefined, { wait: false })).rejects.toThrow('arrived')
    expect(received.at(-1)).toMatchObject({ path: address, body: expect.stringContaining(content) })
    expect(received.at(-1)?.body).not.toContain('name="code"')
    if (content.startsWith(command))
      expect(context.written.err).toContain(
        `package.json is in this directory, but not sent with the command, so the job will not find it. Send the directory: gpuq submit . ${path}\n`,
      )
  })

  it.each([
    [
      'project_id: p\narray: 0-3\n',
      undefined,
      {},
      /arr\.yaml is a config without a command, .* gpuq submit PROGRAM\.py \S+arr\.yaml, /,
    ],
    [
      command,
      'a.py',
      {},
      /arr\.yaml is a config: write the program first, as in gpuq submit a\.py \S+arr\.yaml\.$/,
    ],
    [
      command,
      undefined,
      { withDir: true },
      /Send the directory with gpuq submit \. \S+arr\.yaml, without --with-dir\.$/,
    ],
    [command, undefined, { gpus: 2 }, /cannot be combined with job options/],
  ])(
    'a config that does not say what runs is refused, and with what cannot belong to it: %j %s %o',
    async (content, other, options, message) => {
      const { context, received } = await contextOf(accept)
      const path = join(await write({ 'arr.yaml': content }), 'arr.yaml')
      await expect(submit(context, path, other, { wait: false, ...options })).rejects.toThrow(message)
      expect(received).toEqual([])
    },
  )
})

it('a command with a program is refused before anything is sent, and the error says to send the directory', async () => {
  const { context, received } = await contextOf(accept)
  const root = await write({ 'worker.py': '1', 'config.yaml': 'command: torchrun worker.py\n' })
  const [program, config] = [join(root, 'worker.py'), join(root, 'config.yaml')]
  await expect(submit(context, program, config, { wait: false })).rejects.toThrow(
    `${config} has a command, and a job runs either a command or a program. Remove the key command to run ${program}, or send the directory of ${program} to run the command in it: gpuq submit ${root} ${config}`,
  )
  expect(received).toEqual([])
})

describe('a submission over a bad connection', () => {
  it('is sent again with the same key and the same body until there is an answer', async () => {
    const solution = join(await write({ 'a.py': 'print(1)' }), 'a.py')
    const { context, received, waits } = await contextOf(breakOff, breakWithinAnswer, unavailable, accept)
    expect(await submit(context, solution, undefined, { wait: false })).toBe(0)
    expect(context.written.out).toBe(`${jobId}\n`)
    expect(received).toHaveLength(4)
    expect(new Set(received.map(({ key }) => key)).size).toBe(1)
    expect(received[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
    expect(waits).toEqual([500, 1000, 7000])
    expect(context.written.err.match(/Retrying\./g)).toHaveLength(3)
  })

  it('says on stderr that it created a project, unless it is quiet', async () => {
    const solution = join(await write({ 'a.py': 'print(1)' }), 'a.py')
    const withNote: Answer = (response) => {
      const answer = JSON.stringify({ ...accepted, project_note: 'gpuq created the private project "x".' })
      response.writeHead(202, { 'content-type': 'application/json' }).end(answer)
    }
    for (const quiet of [false, true]) {
      const { context } = await contextOf(withNote)
      expect(await submit(context, solution, undefined, { wait: false, quiet })).toBe(0)
      expect(context.written.out).toBe(`${jobId}\n`)
      expect(context.written.err.includes('created the private project "x"')).toBe(!quiet)
    }
  })

  it('ends with an error if gpuq does not answer', async () => {
    const solution = join(await write({ 'a.py': 'print(1)' }), 'a.py')
    const { context, received } = await contextOf(breakOff)
    await expect(submit(context, solution, undefined, { wait: false, quiet: true })).rejects.toMatchObject({
      code: 'unreachable',
    })
    expect(received).toHaveLength(5)
    expect(context.written.err).toBe('')
  })

  it('is not repeated if gpuq refuses it, and the next submission has another key', async () => {
    const solution = join(await write({ 'a.py': 'print(1)' }), 'a.py')
    const refuse: Answer = (response) => {
      const problem = { title: 'Too many requests', status: 429, detail: 'Wait.', code: 'rate_limited' }
      response
        .writeHead(429, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ type: 'about:blank', ...problem }))
    }
    const { context, received } = await contextOf(refuse, accept)
    await expect(submit(context, solution, undefined, { wait: false })).rejects.toThrow('Wait.')
    await submit(context, solution, undefined, { wait: false })
    expect(received).toHaveLength(2)
    expect(received[0]?.key).not.toBe(received[1]?.key)
  })
})

describe('a directory', () => {
  const limits = { max_entries: 10_000, max_bytes: 1e9, max_depth: 32 }
  const json =
    (value: object): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
  const archive = 'ab'.repeat(32)
  const noContent: Answer = (response) => {
    response.writeHead(204).end()
  }
  const server = () => contextOf(noContent, json(limits), json({ archive, missing: [] }), accept)
  const refuse =
    (status: number, code: string): Answer =>
    (response) => {
      response
        .writeHead(status, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ type: 'about:blank', title: 'x', status, code, detail: `refused: ${code}` }))
    }

  it('is not sent for a job that would be refused', async () => {
    const { context, received } = await contextOf(refuse(422, 'never_fits'))
    const submitting = submit(context, await write({ 'main.py': '1' }), undefined, { wait: false, gpus: 8 })
    await expect(submitting).rejects.toThrow('refused: never_fits')
    expect(received.map(({ path }) => path)).toEqual(['/api/submit/check'])
    expect(received[0]?.body).toContain('gpu_count: 8')
  })

  it.each([
    ['has no check, because its version is older', refuse(404, 'not_found'), undefined],
    ['does not answer the check', breakOff, undefined],
    ['may have an identical job, which no limit refuses', refuse(429, 'rate_limited'), true],
  ])('is sent to a server that %s', async (_, answer, deduplicate) => {
    const { context, received } = await contextOf(
      answer,
      json(limits),
      json({ archive, missing: [] }),
      accept,
    )
    const files = await write({ 'main.py': '1' })
    expect(await submit(context, files, undefined, { wait: false, quiet: true, deduplicate })).toBe(0)
    expect(received.at(-1)?.path).toMatch(/^\/api\/submit\?/)
  })

  it.each([
    ['solution.py', { 'solution.py': '1', 'main.py': '2', 'run.sh': '3' }],
    ['main.py', { 'main.py': '2', 'run.sh': '3', 'src/solution.py': '4' }],
    ['run.sh', { 'run.sh': '3', 'train.py': '5' }],
  ])('is submitted without a named program if it has %s', async (_, files) => {
    const { context, received } = await server()
    expect(await submit(context, await write(files), undefined, { wait: false })).toBe(0)
    expect(received.at(-1)?.path).toMatch(/^\/api\/submit/)
    expect(received.at(-1)?.body).toContain(`archive: ${archive}`)
    expect(received.at(-1)?.body).not.toContain('name="code"')
  })

  it('runs the file that --entrypoint names', async () => {
    const { context, received } = await server()
    const options = { wait: false, entrypoint: 'src/train.py' }
    await submit(context, await write({ 'src/train.py': '1' }), undefined, options)
    expect(received.at(-1)?.body).toContain('entrypoint: src/train.py')
  })

  it('a directory without such a file is refused with what was found, before anything is sent', async () => {
    const { context, received } = await server()
    const files = await write({ 'train.py': '1', 'lib/model.py': '2', 'data.csv': '3' })
    await expect(submit(context, files, undefined, { wait: false })).rejects.toThrow(
      /no solution\.py, main\.py, run\.sh: .* It has train\.py, lib\/model\.py and 1 more files\. .*--entrypoint/,
    )
    expect(received.map(({ path }) => path)).toEqual(['/api/submit/check', '/api/archives'])
    const again = await server()
    const named = submit(again.context, files, undefined, { wait: false, entrypoint: 'a.py' })
    await expect(named).rejects.toThrow(/does not have a\.py/)
  })

  it('runs the command of its config, whatever files it has', async () => {
    const { context, received } = await server()
    const config = join(
      await write({ 'code/train.py': '1', 'c.yaml': 'project_id: p\ncommand: ls\n' }),
      'c.yaml',
    )
    expect(await submit(context, join(directory, 'code'), config, { wait: false })).toBe(0)
    expect(received.at(-1)?.body).toContain('command: ls')
  })
})
