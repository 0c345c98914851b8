import { describe, expect, it } from 'vitest'
import { decideShape, gpuCounts } from './job-shape'

describe('GPUs and instances', () => {
  it('one instance gets the requested GPUs', () => {
    for (const gpuCount of gpuCounts) {
      expect(decideShape(gpuCount, 1)).toEqual({ ok: true, gpuCount, instanceCount: 1, warnings: [] })
    }
  })

  it('up to eight in total must be on one instance, and the message says how', () => {
    expect(decideShape(1, 2)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/instance_count to 1 and gpu_count to 2/),
    })
    expect(decideShape(1, 3)).toMatchObject({ ok: false, message: expect.stringMatching(/gpu_count to 4/) })
    expect(decideShape(2, 4)).toMatchObject({ ok: false, message: expect.stringMatching(/gpu_count to 8/) })
    expect(decideShape(1, 8)).toMatchObject({ ok: false })
  })

  it('more than eight are whole instances, with a warning if the count was raised', () => {
    expect(decideShape(8, 2)).toEqual({ ok: true, gpuCount: 8, instanceCount: 2, warnings: [] })
    expect(decideShape(4, 3)).toMatchObject({
      ok: true,
      gpuCount: 8,
      instanceCount: 3,
      warnings: [expect.stringMatching(/from 4 to 8, 24 GPUs/)],
    })
  })
})
