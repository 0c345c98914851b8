import { describe, expect, it } from 'vitest'
import { type ImageEngine, ImageStore } from './image-store'

const missing = Object.assign(new Error('(HTTP code 404) no such image - No such image: x '), {
  statusCode: 404,
})

/** An engine without images whose registry has one. */
class StandInEngine implements ImageEngine {
  here = false
  inspected = 0
  pulled = 0
  failure: Error | null = null

  async inspectImage(): Promise<unknown> {
    this.inspected += 1
    if (!this.here) throw missing
    return { Id: 'sha256:1', RepoDigests: ['x@sha256:2'], Config: { Volumes: { '/data': {} } } }
  }

  async pullImage(): Promise<AsyncIterable<string>> {
    this.pulled += 1
    if (this.failure) throw this.failure
    const engine = this
    return (async function* () {
      yield '{"status":"Pulling"}\n'
      engine.here = true
    })()
  }
}

describe('ImageStore', () => {
  it('pulls a missing image once for concurrent calls', async () => {
    const engine = new StandInEngine()
    const store = new ImageStore(engine)
    const said: string[] = []
    const asked = [1, 2, 3].map(() => store.ensure('x', (line) => said.push(line)))
    expect(await Promise.all(asked)).toEqual(Array(3).fill('x@sha256:2'))
    await store.ensure('x', () => {})
    expect(engine.pulled).toBe(1)
    expect(said).toEqual(['Pulling'])
  })

  it('retries after a failed pull', async () => {
    const engine = new StandInEngine()
    const store = new ImageStore(engine)
    engine.failure = Object.assign(new Error('(HTTP code 500) server error - no such host '), {
      statusCode: 500,
    })
    await expect(store.ensure('x', () => {})).rejects.toMatchObject({
      code: 'image_unavailable',
      message: 'The image x could not be pulled: no such host',
    })
    engine.failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    await expect(store.ensure('x', () => {})).rejects.toMatchObject({ code: 'engine_unreachable' })
    engine.failure = null
    expect(await store.ensure('x', () => {})).toBe('x@sha256:2')
  })

  it('caches the volumes that an image declares', async () => {
    const engine = new StandInEngine()
    const store = new ImageStore(engine)
    await expect(store.traits('x')).rejects.toMatchObject({ code: 'image_unavailable' })
    engine.here = true
    expect(await store.traits('x')).toEqual({ volumes: ['/data'] })
    await store.traits('x')
    expect(engine.inspected).toBe(2)
    engine.here = false
    store.forget('x')
    await expect(store.traits('x')).rejects.toMatchObject({ code: 'image_unavailable' })
  })
})
