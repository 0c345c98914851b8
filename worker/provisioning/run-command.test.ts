import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runShellCommand } from './run-command'

async function run(command: string, signal = new AbortController().signal) {
  let text = ''
  const onOutput = (piece: string) => {
    text += piece
  }
  const end = await runShellCommand(command, { variables: { WORD: 'a b' }, onOutput, signal })
  return { end, text }
}

it('runs a command with its variables, and reads both of its streams', async () => {
  expect(await run('echo "$WORD"; echo no >&2')).toEqual({
    end: { ok: true },
    text: expect.stringMatching(/^(a b\nno\n|no\na b\n)$/),
  })
})

it('reports how a command failed', async () => {
  expect((await run('exit 3')).end).toEqual({ ok: false, problem: 'It ended with exit code 3.' })
  expect((await run('kill -9 $$')).end).toEqual({ ok: false, problem: 'It was killed by SIGKILL.' })
})

it('does not wait for background processes of a command', async () => {
  const { end, text } = await run('sleep 1000 & echo $!')
  // Without a number, the following kill would end the tests themselves.
  expect(text).toMatch(/^\d+\n$/)
  process.kill(Number(text.trim()))
  expect(end).toEqual({ ok: true })
})

it('kills a command with all of its processes', async () => {
  const stop = new AbortController()
  let text = ''
  const onOutput = (piece: string) => {
    text += piece
  }
  const end = runShellCommand('sleep 60 & echo $!; wait', { variables: {}, onOutput, signal: stop.signal })
  await expect.poll(() => text).toMatch(/\n/)
  const child = Number(text.trim())
  stop.abort()
  expect(await end).toEqual({ ok: false, problem: 'It was killed by SIGTERM.' })
  await expect.poll(() => isThere(child)).toBe(false)
})

/** A zombie process is still listed, but has ended. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
