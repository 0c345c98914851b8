import { expect, it, vi } from 'vitest'
import { streamed } from './streamed'

function source(pieces = 3) {
  const seen = { read: 0, closed: false }
  async function* content() {
    try {
      for (; seen.read < pieces; seen.read++) yield Buffer.from(String(seen.read))
    } finally {
      seen.closed = true
    }
  }
  return { seen, content: content() }
}

it('reads nothing before somebody asks for it', async () => {
  const { seen, content } = source()
  const onEnd = vi.fn()
  const body = streamed(content, onEnd)
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen.read).toBe(0)
  await body.cancel()
  expect(seen.read).toBe(0)
  expect(onEnd).toHaveBeenCalledOnce()
})

it('ends in the middle when the client leaves', async () => {
  const { seen, content } = source()
  const onEnd = vi.fn()
  const reader = streamed(content, onEnd).getReader()
  expect(String(Buffer.from((await reader.read()).value ?? []))).toBe('0')
  expect(onEnd).not.toHaveBeenCalled()
  await reader.cancel()
  expect(onEnd).toHaveBeenCalledOnce()
  await expect.poll(() => seen.closed).toBe(true)
})

it('ends once when the client leaves while a piece is awaited', async () => {
  let goOn = () => {}
  async function* slow() {
    await new Promise<void>((resolve) => (goOn = resolve))
    yield Buffer.from('late')
  }
  const onEnd = vi.fn()
  const reader = streamed(slow(), onEnd).getReader()
  const pending = reader.read()
  await reader.cancel()
  goOn()
  await pending
  await new Promise((resolve) => setImmediate(resolve))
  expect(onEnd).toHaveBeenCalledOnce()
})

it('sends everything, and ends once', async () => {
  const onEnd = vi.fn()
  expect(await new Response(streamed(source().content, onEnd)).text()).toBe('012')
  expect(onEnd).toHaveBeenCalledOnce()
})

it('fails with its source', async () => {
  const onEnd = vi.fn()
  // biome-ignore lint/correctness/useYield: it fails before.
  async function* broken(): AsyncGenerator<Uint8Array> {
    throw new Error('damaged')
  }
  await expect(new Response(streamed(broken(), onEnd)).text()).rejects.toThrow('damaged')
  expect(onEnd).toHaveBeenCalledOnce()
})
