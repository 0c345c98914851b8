import { describe, expect, it } from 'vitest'
import { effectiveLimits } from '../../access/limits'
import type { JobLimits } from '../../contract/access/limits'
import { parseConfig } from '../../contract/config/config'
import { GpuqError } from '../../contract/errors'
import { env } from '../../env'
import {
  requirePriorityWithinLimits,
  requireWithinJobLimits,
  timeCeilingS,
  withAssumedTime,
} from './job-limits'

const unset = { submissionsPerMinute: null, maxActiveJobs: null }
const { job: unlimited } = effectiveLimits({ role: 'admin', limits: unset }, unset, unset)
const limited = (changes: Partial<JobLimits>): JobLimits => ({ ...unlimited, ...changes })

function configOf(extra: string) {
  const parsed = parseConfig(`competition_id: c\nproject_id: p\nexpected_time: 10\n${extra}`)
  if (!parsed.ok) throw new Error(parsed.errors[0]?.message)
  return parsed.config
}

/** The errors of a config: path and message. */
function refusals(extra: string, limits: Partial<JobLimits>): [string, string][] {
  try {
    requireWithinJobLimits(configOf(extra), limited(limits))
    return []
  } catch (error) {
    if (!(error instanceof GpuqError) || error.code !== 'invalid_fields') throw error
    return (error.errors ?? []).map(({ path, message }) => [path, message])
  }
}

describe('a job above a limit', () => {
  it.each<[path: string, extra: string, limits: Partial<JobLimits>, message: RegExp]>([
    ['priority', 'priority: 1', { max_priority: 0 }, /at most 0, .*max_priority.*admin/],
    ['pool', 'pool: reserved', { pools: ['on-demand'] }, /"on-demand", .*pools.*admin/],
    ['expected_time', 'max_time: 9', { max_time: 9 }, /at most 9, .*max_time/],
    ['max_time', 'max_time: 30', { max_time: 20 }, /at most 20/],
    ['cpu', 'gpu_count: 0\ncpu: 4.5\ninstance_count: 2', { max_cpu: 8 }, /at most 8, .*max_cpu/],
    ['memory_gb', 'gpu_count: 0\nmemory_gb: 33', { max_memory_gb: 32 }, /max_memory_gb/],
    ['gpu_count', 'gpu_count: 4\ninstance_count: 3', { max_gpus: 8 }, /at most 8, .*max_gpus/],
    ['gpu_fraction', 'gpu_fraction: 0.5', { max_gpus: 0.25 }, /max_gpus/],
    [
      'gpu_count',
      'gpu_count: 4',
      { max_gpus: 8, max_concurrent_gpus: 2 },
      /at most 2, .*max_concurrent_gpus/,
    ],
    ['gpu_count', 'gpu_count: 4', { max_gpus: 1, max_concurrent_gpus: 2 }, /at most 1, .*max_gpus/],
  ])('is refused with the limit and its value: %s', (path, extra, limits, message) => {
    expect(refusals(extra, limits)).toEqual([[path, expect.stringMatching(message)]])
  })

  it('is told about all limits at once', () => {
    const limits = limited({ max_priority: 0, pools: ['best-effort'] })
    const keys = refusals('priority: 5\npool: reserved', limits).map(([path]) => path)
    expect(keys).toEqual(['priority', 'pool'])
  })
})

it('permits what is at a limit, and everything without limits', () => {
  const extra = 'priority: 3\nmax_time: 20\ngpu_count: 8\npool: best-effort'
  expect(refusals(extra, { max_priority: 3, max_time: 20, max_gpus: 8, pools: ['best-effort'] })).toEqual([])
  expect(refusals('priority: 100\npool: reserved\ninstance_count: 8\ngpu_count: 8', {})).toEqual([])
})

it('does not limit the cores and memory of a job with a GPU', () => {
  expect(refusals('cpu: 100\nmemory_gb: 500', { max_cpu: 1, max_memory_gb: 1 })).toEqual([])
})

it('permits lowering a priority that an admin set above the limit', () => {
  const limits = limited({ max_priority: 0 })
  expect(() => requirePriorityWithinLimits(5, 9, limits)).not.toThrow()
  expect(() => requirePriorityWithinLimits(10, 9, limits)).toThrow(/at most 0/)
})

it('gives a job whose time nobody said the longest permitted time', () => {
  const config = { ...configOf(''), expected_time: 3600 }
  const timed = (max_time: number | null) =>
    withAssumedTime({ config, timeAssumed: true }, limited({ max_time }))
  expect(timed(null).config).toMatchObject({ expected_time: 3600, max_time: env().GPUQ_MAX_TIME_S })
  expect(timed(60).config).toMatchObject({ expected_time: 60, max_time: 60 })
  expect(timeCeilingS({ max_time: 1e7 })).toBe(env().GPUQ_MAX_TIME_S)
})

it('a job with the longest time limit of any server has the longest permitted time, and one with a shorter limit has its own', () => {
  const timed = (asked: number) =>
    withAssumedTime(
      { config: { ...configOf(`max_time: ${asked}`), expected_time: 3600 } },
      limited({ max_time: 60 }),
    )
  expect(timed(2_000_000).config).toMatchObject({ expected_time: 60, max_time: 60 })
  expect(timed(30 * 24 * 3600).config).toMatchObject({ expected_time: 60, max_time: 60 })
  expect(timed(1_999_999).config).toMatchObject({ expected_time: 3600, max_time: 1_999_999 })
})
