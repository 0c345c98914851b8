import { expect, it } from 'vitest'
import { parseGpuResults, parseImageContent } from './image-program'

it('reads the report among other output', () => {
  const content = { torch: { version: '2.7.1', cuda: '12.8' }, runtime: null }
  expect(parseImageContent(`a banner\ngpuq check: ${JSON.stringify(content)}\n`)).toEqual(content)
  const gpu = {
    uuid: 'GPU-0',
    visible: false,
    computed: false,
    name: null,
    cuda: null,
    error: 'cuInit: CUDA_ERROR_NO_DEVICE',
  }
  expect(parseGpuResults(`gpuq check: ${JSON.stringify([gpu])}`)).toEqual([gpu])
})

it.each(['', 'Traceback', 'gpuq check: {', 'gpuq check: {"torch": 1}'])('has no report in %j', (output) => {
  expect(parseImageContent(output)).toBeNull()
  expect(parseGpuResults(output)).toBeNull()
})
