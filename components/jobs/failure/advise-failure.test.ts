import { describe, expect, it } from 'vitest'
import { makeInstance, makeJob } from '../../testing/fixtures'
import { adviseFailure } from './advise-failure'

const gpu = { gpu_id: 'a', index: 0, model: 'A100', simulated: false, memory_mib: 40_960, share: 1 }

function failed(reason: string, gpus = [gpu]) {
  const { resources } = makeJob()
  const got = [makeInstance({ gpus, memory_mib: 2048 })]
  return makeJob({ status: 'failed', reason, max_time: 7200, resources: { ...resources, got } })
}

const cases: [
  failure: string,
  job: ReturnType<typeof failed>,
  exception: string | null,
  advice: RegExp | null,
][] = [
  [
    'a job that was stopped for its memory',
    failed('out_of_memory'),
    null,
    /^Set memory_gb to more than 2, or/,
  ],
  ['a failed allocation', failed('exit_code'), 'MemoryError', /memory_gb/],
  [
    'a failed allocation of NumPy',
    failed('exit_code'),
    'numpy._core._exceptions._ArrayMemoryError: Unable to allocate 7 TiB',
    /memory_gb/,
  ],
  ['a time limit', failed('timeout'), null, /^Set max_time to more than 7200, the limit/],
  [
    'a full GPU',
    failed('exit_code'),
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB.',
    /^Set gpu_memory_gb to more than 43,/,
  ],
  [
    'a full part of a GPU',
    failed('exit_code', [{ ...gpu, share: 0.5 }]),
    'RuntimeError: CUDA error: out of memory',
    /^Set gpu_fraction to more than 0.5,/,
  ],
  ['no GPU at all', failed('exit_code', []), 'RuntimeError: CUDA out of memory.', /gpu_count/],
  [
    'a missing module',
    failed('exit_code'),
    "ModuleNotFoundError: No module named 'torch.nn'",
    /^Set environment to one that has the module torch, because python does not have it/,
  ],
  ['another exception', failed('exit_code'), 'ValueError: too large', null],
  ['no exception', failed('exit_code'), null, null],
  ['a lost node', failed('node_lost'), 'ValueError: too large', null],
]

describe('adviseFailure', () => {
  it.each(cases)('says what to change after %s', (_, job, exception, advice) => {
    const text = adviseFailure(job, exception)
    if (advice === null) expect(text).toBeNull()
    else expect(text).toMatch(advice)
  })

  it('is one sentence, whatever the module is called', () => {
    const advice = adviseFailure(
      failed('exit_code'),
      `ImportError: No module named '${'\u202e'.repeat(150)}'`,
    )
    expect(advice).not.toContain('\u202e')
    expect(advice?.length).toBeLessThan(300)
  })
})
