import { describe, expect, it } from 'vitest'
import { RuntimeFault } from '../runtime'
import { errorMessageOf, statusOf, toFault, within } from './engine-faults'

const answered = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) server error - ${message} `), {
    statusCode,
    json: { message },
  })
const broken = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

describe('toFault', () => {
  it('distinguishes an engine that refuses, one that is unreachable, and a missing object', () => {
    expect(toFault(answered(500, 'no space left'), 'create the container')).toMatchObject({
      code: 'engine_error',
      message: 'The engine could not create the container: no space left',
    })
    expect(toFault(answered(404, 'No such container: x'), 'inspect').code).toBe('container_gone')
    expect(toFault(answered(404, 'No such image: x'), 'create', 'image_unavailable').code).toBe(
      'image_unavailable',
    )
    for (const code of [
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ENOENT',
      'EACCES',
      'ERR_STREAM_PREMATURE_CLOSE',
    ]) {
      expect(toFault(broken(code), 'inspect').code).toBe('engine_unreachable')
    }
    expect(toFault(new TypeError('x is undefined'), 'inspect').code).toBe('engine_error')
  })

  it('says what to do if the worker may not use the engine', () => {
    expect(toFault(broken('EACCES'), 'inspect').message).toContain('group docker')
  })

  it('says what to do if the engine cannot provide GPUs', () => {
    const said = 'could not select device driver "nvidia" with capabilities: [[gpu]]'
    expect(toFault(answered(500, said), 'start the container').message).toContain('NVIDIA Container Toolkit')
  })

  it('returns a fault unchanged', () => {
    const fault = new RuntimeFault('kill_failed', 'x')
    expect(toFault(fault, 'stop')).toBe(fault)
  })
})

describe('the text of an error', () => {
  it("is the engine's own sentence", () => {
    expect(errorMessageOf(answered(409, 'Conflict. The name is in use.'))).toBe(
      'Conflict. The name is in use.',
    )
    const streamed = Object.assign(new Error('(HTTP code 404) no such image - pull access denied '), {
      statusCode: 404,
      json: null,
    })
    expect(errorMessageOf(streamed)).toBe('pull access denied')
    expect(statusOf(streamed)).toBe(404)
    expect(statusOf(broken('EPIPE'))).toBeUndefined()
    expect(errorMessageOf('odd')).toBe('odd')
  })
})

describe('within', () => {
  it('times out on a hanging engine, and returns a result that comes in time', async () => {
    await expect(within(5, 'answer', new Promise(() => {}))).rejects.toMatchObject({
      code: 'engine_unreachable',
    })
    await expect(within(1000, 'answer', Promise.resolve(7))).resolves.toBe(7)
    await expect(within(1000, 'answer', Promise.reject(broken('EPIPE')))).rejects.toThrow('EPIPE')
  })
})
