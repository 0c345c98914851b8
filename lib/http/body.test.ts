import { describe, expect, it, vi } from 'vitest'
import { logger } from '../logger'
import { readLimited } from './body'
import { route } from './route'

/** A request whose client goes away in the middle of the body. */
function brokenRequest(): Request {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.from('{"a":'))
      controller.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
    },
  })
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' }
  return new Request('http://gpuq.test/api/x', init)
}

describe('a body that ends early', () => {
  it("is the client's mistake, which leaves nothing in the log", async () => {
    const lines = vi.spyOn(logger, 'error')
    const handler = route({ access: 'public' }, async ({ request }) => {
      await readLimited(request, 100, 'too large')
      return new Response()
    })
    const answer = await handler(brokenRequest(), { params: Promise.resolve({}) })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('ended before the end') })
    expect(lines).not.toHaveBeenCalled()
    lines.mockRestore()
  })
})
