import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import { ProblemError } from '@/lib/http/client/problem'
import type { JobApi } from '../queries/job-api'
import { jobMetricsQuery } from './queries'

it('metrics are not read again after the job is deleted or the link to it has ended', async () => {
  vi.useFakeTimers()
  const answers = [
    { complete: true },
    { complete: true },
    new ProblemError({ status: 404, code: 'not_found', detail: 'This link is not valid.' }),
  ]
  const metrics = vi.fn(async () => {
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  })
  const query = jobMetricsQuery({ metrics } as unknown as JobApi, 'a', { limit: 0 }, true)
  const stop = new QueryObserver(new QueryClient(), { ...query, retry: false }).subscribe(() => {})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(metrics).toHaveBeenCalledTimes(3)
  stop()
  vi.useRealTimers()
})
