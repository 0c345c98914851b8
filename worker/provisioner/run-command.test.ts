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

it('runs a command with its variables, and hears both of its streams', async () => {
  expect(await run('echo "$WORD"; echo no >&2')).toEqual({
    end: { ok: true },
    text: expect.stringMatching(/^(a b\nno\n|no\na b\n)$/),
  })
})

it('says how a command failed', async () => {
  expect((await run('exit 3')).end).toEqual({ ok: false, problem: 'It ended with exit code 3.' })
  expect((await run('kill -9 $$')).end).toEqual({ ok: false, problem: 'It was ended by SIGKILL.' })
})

it('does not wait for what a command leaves running in the background', async () => {
  const { end, text } = await run('sleep 1000 & echo $!')
  // Without a number this would end the tests themselves.
  expect(text).toMatch(/^\d+\n$/)
  process.kill(Number(text.trim()))
  expect(end).toEqual({ ok: true })
})

it('ends a command with all that it has started', async () => {
  const stop = new AbortController()
  let text = ''
  const onOutput = (piece: string) => {
    text += piece
  }
  const end = runShellCommand('sleep 60 & echo $!; wait', { variables: {}, onOutput, signal: stop.signal })
  await expect.poll(() => text).toMatch(/\n/)
  const child = Number(text.trim())
  stop.abort()
  expect(await end).toEqual({ ok: false, problem: 'It was ended by SIGTERM.' })
  await expect.poll(() => isThere(child)).toBe(false)
})

/** A process that nobody has waited for yet is still listed, but is none any more. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
