import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { logger } from '@/lib/logger'
import { watchPass } from './watch-pass'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const logs = () => [vi.spyOn(logger, 'error').mockReturnValue(), vi.spyOn(logger, 'warn').mockReturnValue()]

it('logs once which step of a pass does not end, and when it has ended after all', async () => {
  const [error, warn] = logs()
  let list = (_: string) => {}
  const listed = new Promise<string>((resolve) => {
    list = resolve
  })
  const pass = watchPass('poll of Slurm', async (enter) => {
    enter('read the rows')
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    enter('list the jobs')
    return listed
  })
  await vi.advanceTimersByTimeAsync(59_999)
  expect(error).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(error?.mock.calls).toEqual([
    [{ step: 'list the jobs', stepSeconds: 50, seconds: 60 }, expect.stringContaining('poll of Slurm')],
  ])
  expect(warn).not.toHaveBeenCalled()
  list('done')
  expect(await pass).toBe('done')
  expect(warn?.mock.calls).toEqual([
    [{ step: 'list the jobs', stepSeconds: 650, seconds: 660 }, expect.stringContaining('has ended')],
  ])
})

it('logs nothing about a pass that ends or fails in time', async () => {
  const [error, warn] = logs()
  expect(await watchPass('pass', async () => 1)).toBe(1)
  await expect(watchPass('pass', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await vi.advanceTimersByTimeAsync(600_000)
  expect(error).not.toHaveBeenCalled()
  expect(warn).not.toHaveBeenCalled()
})
