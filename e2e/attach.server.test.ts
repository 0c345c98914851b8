import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PseudoTerminal } from './pseudo-terminal'
import { theSystem } from './system/the-system'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** Tests the built `gpuq` in a pseudo-terminal. */

const program = join(import.meta.dirname, '..', 'dist', 'cli.js')

let person: TestUser
let other: TestUser
beforeAll(async () => {
  person = await createUser({ name: 'typist', limits: noLimits })
  other = await createUser({ name: 'stranger' })
})

const open: PseudoTerminal[] = []
afterAll(async () => {
  for (const terminal of open) terminal.close()
  // Jobs that a failed test left running would block other tests.
  await cancelAll(person)
})

async function gpuq(words: string[], { token }: TestUser = person): Promise<PseudoTerminal> {
  const env = { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: token, HOME: '/nonexistent' }
  const terminal = await PseudoTerminal.open([process.execPath, program, ...words], env)
  open.push(terminal)
  return terminal
}

async function running(code: string, config: string): Promise<string> {
  const id = await submit(person, code, config)
  await expect.poll(async () => (await person.client.jobs.get(id)).status).toBe('running')
  return id
}

/** Answers every line and reports each new terminal size. */
const talker = `
import os, signal, sys
signal.signal(signal.SIGWINCH, lambda *_: print("size", *os.get_terminal_size()))
print(sys.stdin.isatty(), "\\033[32mgrün\\033[0m")
while (line := input("say> ")) != "go":
    print("heard", line.upper())
sys.exit(5)
`

it("attach, type, detach, attach again twice, and exit with the job's exit code", async () => {
  const id = await running(talker, configText({ tty: true, ...longRunning }))
  // The program does not notice a size change before it has installed its signal handler.
  await expect.poll(async () => (await person.client.jobs.result(id)).stdout).toContain('True')
  const first = await gpuq(['attach', id])
  await first.shows('True \u001b[32mgrün\u001b[0m\r\n')
  await first.shows('size 100 30')
  first.type('one €\r')
  await first.shows('heard ONE €\r\nsay> ')
  await first.resize(77, 22)
  await first.shows('size 77 22')
  first.type('\u0001d')
  expect(await first.ended).toBe(0)
  expect(first.output).toContain(`[detached from ${id}]`)
  expect((await person.client.jobs.get(id)).status).toBe('running')

  const [second, third] = await Promise.all([gpuq(['attach', id]), gpuq(['attach', id.slice(0, 35)])])
  for (const terminal of [second, third]) await terminal.shows('heard ONE €')
  second.type('two\r')
  for (const terminal of [second, third]) await terminal.shows('heard TWO')
  third.type('go\r')
  expect(await Promise.all([second.ended, third.ended])).toEqual([5, 5])
  expect((await person.client.jobs.get(id)).exit_code).toBe(5)
})

it('run --tty attaches immediately and passes on keys that create signals', async () => {
  const terminal = await gpuq(['run', '--tty', '--gpus', '0', '--', 'sh', '-c', 'tty; cat'])
  await terminal.shows('/dev/pts/0\r\n')
  terminal.type('hello\r')
  await terminal.shows('hello\r\nhello\r\n')
  terminal.type('\u0003')
  expect(await terminal.ended).toBe(130)
})

it('Ctrl-C detaches from a job without a terminal, and the job continues', async () => {
  const code = 'import time\nprint("only to look at", flush=True)\ntime.sleep(3600)'
  const id = await running(code, configText(longRunning))
  const terminal = await gpuq(['attach', id])
  await terminal.shows('only to look at\r\n')
  terminal.type('\u0003')
  expect(await terminal.ended).toBe(0)
  expect((await person.client.jobs.get(id)).status).toBe('running')
  const list = await gpuq(['screens'])
  expect(await list.ended).toBe(0)
  expect(list.output).toMatch(new RegExp(`${id} .*no`))
  await person.client.jobs.cancel(id)
  // The job accepts attaching until its container is removed.
  await expect.poll(async () => (await person.client.jobs.get(id)).status).toBe('cancelled')
  const late = await gpuq(['attach', id])
  expect(await late.ended).toBe(1)
  expect(late.output).toContain('Cannot attach: the job is cancelled.')
})

it("a user cannot attach to another user's job", async () => {
  const id = await running(talker, configText({ tty: true, ...longRunning }))
  const terminal = await gpuq(['attach', id], other)
  expect(await terminal.ended).toBe(1)
  expect(terminal.output).toContain('You have no job with this id.')
  await person.client.jobs.cancel(id)
})
