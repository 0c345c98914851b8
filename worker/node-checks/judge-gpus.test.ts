import { describe, expect, it } from 'vitest'
import type { GpuResult } from './image-program'
import * as rules from './judge-gpus'

const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, model: 'NVIDIA H200', idle: true })
const listed = (changes: object = {}): rules.SmiFacts => ({
  kind: 'listed',
  gpus: [gpu(0), gpu(1)],
  faults: [],
  driver: '570.86.15',
  ...changes,
})
const absent: rules.SmiFacts = { kind: 'absent', pciGpus: 0 }
const image = (content: object = {}): rules.ImageFacts => ({
  kind: 'ran',
  image: 'gpuq/python:2',
  content: { torch: { version: '2.7.1', cuda: '12.8' }, runtime: null, ...content },
})
const result = (index: number, changes: Partial<GpuResult> = {}): GpuResult => ({
  uuid: `GPU-${index}`,
  visible: true,
  computed: true,
  name: 'NVIDIA H200',
  cuda: '12.8',
  error: null,
  ...changes,
})
const ran = (...results: GpuResult[]): rules.GpuRun => ({ kind: 'ran', results })
const notRun: rules.GpuRun = { kind: 'not_run', why: 'Not checked: all GPUs are in use.' }
const invisible = { visible: false, computed: false, cuda: null, error: 'cuInit: CUDA_ERROR_NO_DEVICE' }

it('never says ok about GPUs of a machine without one', () => {
  const judged = [
    rules.judgeNvidiaSmi(absent),
    rules.judgeDriver(absent, image(), notRun),
    rules.judgeToolkit(absent, null, notRun),
    rules.judgeGpuVisible(absent, notRun),
    rules.judgeGpuCompute(absent, notRun),
  ]
  expect(judged.map(({ status }) => status)).toEqual(judged.map(() => 'not_applicable'))
})

describe('nvidia-smi', () => {
  it.each([
    ['lists GPUs', listed(), 'ok', /GPU 0: NVIDIA H200, GPU 1/],
    ['lists none', listed({ gpus: [] }), 'not_applicable', /no GPU/],
    ['is not used', { kind: 'unused' }, 'not_applicable', /GPUQ_SIMULATED_GPUS/],
    ['fails', { kind: 'failed', message: 'no answer within 10 s' }, 'failure', /no answer within 10 s\./],
    ['is absent, but a GPU is on the bus', { kind: 'absent', pciGpus: 1 }, 'warning', /PCI bus/],
    ['reports a fault', listed({ faults: ['GPU 1 is lost.'] }), 'failure', /GPU 1 is lost/],
  ] satisfies [string, rules.SmiFacts, string, RegExp][])('%s', (_, smi, status, found) => {
    const judged = rules.judgeNvidiaSmi(smi)
    expect(judged).toMatchObject({ status, found: expect.stringMatching(found) })
  })
})

describe('the driver', () => {
  it('must support the major version of the CUDA in the image', () => {
    const old = ran(result(0, { cuda: '11.4' }))
    expect(rules.judgeDriver(listed(), image(), old)).toMatchObject({
      status: 'failure',
      found: 'Driver 570.86.15, for CUDA up to 11.4. The default image needs CUDA 12.8.',
    })
    expect(rules.judgeDriver(listed(), image(), ran(result(0, { cuda: '12.2' }))).status).toBe('ok')
    expect(rules.judgeDriver(listed(), image(), notRun)).toMatchObject({
      status: 'ok',
      found: 'Driver 570.86.15.',
    })
  })

  it('is a warning if its version is unknown', () => {
    expect(rules.judgeDriver(listed({ driver: null }), image(), notRun).status).toBe('warning')
  })
})

describe('the toolkit', () => {
  it.each([
    ['is new enough', '1.18.2', notRun, 'ok'],
    ['has known escapes', '1.17.8', ran(result(0)), 'warning'],
    ['works, but its version is unknown', null, ran(result(0)), 'warning'],
    ['is missing', null, notRun, 'failure'],
  ] as const)('%s', (_, version, run, status) => {
    expect(rules.judgeToolkit(listed(), version, run).status).toBe(status)
  })
})

describe('the default image', () => {
  it.each([
    ['runs', image(), 'ok'],
    ['is not there', { kind: 'missing', image: 'i' }, 'warning'],
    ['does not run', { kind: 'failed', image: 'i', problem: 'no disk space' }, 'failure'],
    ['is unknown', { kind: 'unknown', why: 'No default environment.' }, 'not_applicable'],
  ] satisfies [string, rules.ImageFacts, string][])('%s', (_, facts, status) => {
    expect(rules.judgeImage(facts).status).toBe(status)
  })

  const cuda = '/usr/local/cuda/lib64/libcudart.so.12'
  it.each([
    ['torch for CUDA', {}, 'ok'],
    ['torch without CUDA', { torch: { version: '1.13', cuda: null } }, 'failure'],
    ['such a torch beside a runtime', { torch: { version: '1.13', cuda: null }, runtime: cuda }, 'failure'],
    ['a runtime without torch', { torch: null, runtime: cuda }, 'ok'],
    ['neither', { torch: null }, 'failure'],
  ] as const)('has CUDA or not: %s', (_, content, status) => {
    expect(rules.judgeImageCuda(listed(), image(content)).status).toBe(status)
    const elsewhere = rules.judgeImageCuda(absent, image(content))
    expect(elsewhere.status, 'without a GPU').toBe(status === 'failure' ? 'not_applicable' : 'ok')
  })

  it('is not judged if it did not run', () => {
    expect(rules.judgeImageCuda(listed(), { kind: 'missing', image: 'i' }).status).toBe('not_applicable')
  })
})

describe('a container with GPUs', () => {
  it.each([
    ['computes', ran(result(0), result(1)), 'ok', 'ok'],
    ['sees none', ran(result(0, invisible), result(1, invisible)), 'failure', 'not_applicable'],
    ['sees one of two', ran(result(0), result(1, invisible)), 'failure', 'ok'],
    ['computes wrongly', ran(result(0, { computed: false, error: 'wrong' })), 'ok', 'failure'],
    ['does not start', { kind: 'failed', problem: 'no runtime' }, 'failure', 'not_applicable'],
    ['was not run', notRun, 'not_applicable', 'not_applicable'],
  ] satisfies [string, rules.GpuRun, string, string][])('%s', (_, run, visible, compute) => {
    expect(rules.judgeGpuVisible(listed(), run).status).toBe(visible)
    expect(rules.judgeGpuCompute(listed(), run).status).toBe(compute)
  })

  it.each([
    ['libcuda.so.1 of the driver is not in the container', /nvidia-container-toolkit/],
    ['cuInit: CUDA_ERROR_NO_DEVICE', /nvidia-container-toolkit/],
    ['cuInit: CUDA_ERROR_SYSTEM_NOT_READY', /fabricmanager/],
    ['cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH', /Restart the machine/],
    ['cuInit: CUDA_ERROR_UNKNOWN', /nvidia_uvm/],
    ['cuInit: CUDA_ERROR_OPERATING_SYSTEM', /on the machine itself/],
  ])('gets advice that fits the error %s', (error, action) => {
    const judged = rules.judgeGpuVisible(listed(), ran(result(0, { ...invisible, error })))
    expect(judged).toMatchObject({ status: 'failure', action: expect.stringMatching(action) })
  })

  it('says which GPUs were not checked', () => {
    expect(rules.judgeGpuCompute(listed(), ran(result(1))).found).toBe(
      'A CUDA kernel gave the right numbers on GPU 1. Not checked, because they are in use: 1 of 2.',
    )
  })
})
