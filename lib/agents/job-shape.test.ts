import { describe, expect, it } from 'vitest'
import { decideShape, gpuCounts } from './job-shape'

describe('GPUs and instances', () => {
  it('one instance gets the requested GPUs', () => {
    for (const gpuCount of gpuCounts) expect(decideShape(gpuCount, 1)).toEqual({ gpuCount, warnings: [] })
  })

  it('each of several instances gets eight GPUs, with a warning if fewer were requested', () => {
    for (const gpuCount of gpuCounts) {
      for (const instanceCount of [2, 3, 4, 5, 6, 7, 8]) {
        const shape = decideShape(gpuCount, instanceCount)
        expect(shape.gpuCount).toBe(8)
        expect(shape.warnings).toHaveLength(gpuCount === 8 ? 0 : 1)
      }
    }
    expect(decideShape(4, 3).warnings).toEqual([
      expect.stringMatching(/^This job takes 24 GPUs\. .* from 4 to 8\.$/),
    ])
  })

  it('the warning says how to request up to eight GPUs on one instance', () => {
    expect(decideShape(1, 2).warnings).toEqual([expect.stringMatching(/instance_count 1 and gpu_count 2\.$/)])
    expect(decideShape(1, 3).warnings).toEqual([expect.stringMatching(/instance_count 1 and gpu_count 4\.$/)])
    expect(decideShape(2, 4).warnings).toEqual([expect.stringMatching(/instance_count 1 and gpu_count 8\.$/)])
  })
})
