import { describe, expect, it } from 'vitest'
import type { JobResources } from '@/lib/contract/cluster/job-resources'
import { makeInstance } from '../../testing/fixtures'
import { adviseResources, describeRequested, describeUsed } from './describe-resources'

interface Given {
  asked?: Partial<JobResources['asked']>
  gpus?: number
  share?: number
  simulated?: boolean
  load?: number | null
  peak?: number | null
  cores?: number | null
  memory?: number | null
}

function resources(given: Given = {}) {
  const { asked, gpus = 1, share = 1, simulated = false } = given
  const { load = null, peak = null, cores = null, memory = null } = given
  const gpu = { gpu_id: 'g', index: 0, model: 'A100', simulated, memory_mib: 81_920, share }
  return {
    asked: {
      gpu_count: gpus,
      gpu_fraction: null,
      gpu_memory_gb: null,
      gpu_model: null,
      instance_count: 1,
      cpu: null,
      memory_gb: null,
      ...asked,
    },
    got: [
      makeInstance({
        gpus: Array.from({ length: gpus }, () => gpu),
        cpu_milli: 4000,
        memory_mib: 16_384,
      }),
    ],
    used: { gpu_load_mean: load, gpu_memory_peak_mib: peak, cpu_cores_mean: cores, memory_peak_mib: memory },
  } satisfies JobResources
}

it.each([
  [{}, '1 GPU'],
  [{ gpu_count: 2, cpu: 4, memory_gb: 16 }, '2 GPUs, 4 cores, 16 GB of memory'],
  [{ gpu_model: 'H100', instance_count: 2 }, '2 instances, each with 1 GPU (H100)'],
])('%o becomes "%s"', (asked, text) => expect(describeRequested(resources({ asked }))).toBe(text))

describe('describeUsed', () => {
  it.each([
    [{ gpus: 0 }, null],
    [{ simulated: true, load: 0.5 }, 'The GPUs were simulated, so nothing was measured.'],
    [{}, 'The job ended before its GPUs were measured.'],
    [
      { load: 0.73, peak: 12_288 },
      'The GPUs had a mean load of 73 % and at most 12 GiB of 80 GiB of memory.',
    ],
    [
      { gpus: 0, cores: 0.951, memory: 210 },
      'The job used 0.95 of 4 cores and at most 210 MiB of 16 GiB of memory.',
    ],
    [
      { cores: 3.96, memory: 2355, load: 0.5 },
      'The job used 4 of 4 cores and at most 2.3 GiB of 16 GiB of memory. The GPUs had a mean load of 50 %.',
    ],
  ])('%o becomes "%s"', (given, text) => expect(describeUsed(resources(given))).toBe(text))
})

describe('adviseResources', () => {
  it.each([
    ['nothing was measured', {}, null],
    ['others were on the GPU too', { load: 0.1, share: 0.5 }, null],
    ['it asked for what it used', { load: 0.6, peak: 40_000 }, null],
    ['it used everything', { load: 0.97, peak: 80_000 }, 'The GPUs were well used.'],
    ['a quarter does', { load: 0.1, peak: 4096 }, 'You can request a part of a GPU: gpu_fraction: 0.25.'],
    ['memory needs half', { load: 0.1, peak: 30_000 }, 'You can request a part of a GPU: gpu_fraction: 0.5.'],
    ['memory needs the whole', { load: 0.1, peak: 70_000 }, null],
    ['fewer do', { gpus: 4, load: 0.2, peak: 70_000 }, 'You can request fewer GPUs: gpu_count: 1.'],
    ['the node chose cores and memory', { gpus: 0, cores: 0.1, memory: 100 }, null],
    ['it needs most of its memory', { gpus: 0, asked: { memory_gb: 16 }, cores: 1, memory: 5000 }, null],
    ['there is no less', { gpus: 0, asked: { cpu: 1, memory_gb: 1 }, cores: 0.01, memory: 9 }, null],
    [
      'less memory and fewer cores do',
      { gpus: 0, asked: { cpu: 8, memory_gb: 16 }, cores: 0.9, memory: 3000 },
      'You can request less: cpu: 2, memory_gb: 4.',
    ],
    [
      'less memory does, and a part of a GPU',
      { asked: { memory_gb: 16 }, load: 0.1, peak: 4096, cores: 1, memory: 900 },
      'You can request a part of a GPU: gpu_fraction: 0.25. You can request less: memory_gb: 2.',
    ],
    ['fewer do, but several', { gpus: 8, load: 0.3 }, 'You can request fewer GPUs: gpu_count: 3.'],
  ])('%s', (_, given, text) => expect(adviseResources(resources(given))).toBe(text))
})
