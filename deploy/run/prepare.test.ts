import { expect, it } from 'vitest'
import { runTracks } from './prepare.mjs'

const untilStopped = (ended: string[], name: string) => async (signal: AbortSignal) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  ended.push(name)
  signal.throwIfAborted()
}

it('aborts the other tracks when one fails, waits for them, and throws its error', async () => {
  const ended: string[] = []
  const failing = async () => {
    throw new Error('no engine')
  }
  await expect(
    runTracks(new AbortController().signal, [untilStopped(ended, 'a'), failing, untilStopped(ended, 'b')]),
  ).rejects.toThrow('no engine')
  expect(ended.toSorted()).toEqual(['a', 'b'])
})

it('aborts all tracks on request', async () => {
  const ended: string[] = []
  const stopping = new AbortController()
  const running = runTracks(stopping.signal, [untilStopped(ended, 'a'), untilStopped(ended, 'b')])
  stopping.abort(new Error('asked to'))
  await expect(running).rejects.toThrow('asked to')
  expect(ended).toHaveLength(2)
})
