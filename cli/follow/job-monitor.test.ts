import { expect, it } from 'vitest'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { summary } from '../testing/fake-context'
import { JobMonitor } from './job-monitor'

interface Job {
  job_id: string
  status: string
  created_at: string
  completed_at: string | null
}

/** A server whose jobs are changed by the test. The newest is last. */
function server(sinceMs = 0) {
  const jobs: Job[] = []
  const calls = { get: 0 }
  const list = async ({
    status,
    limit = 20,
    cursor,
  }: {
    status?: string
    limit?: number
    cursor?: string | null
  }) => {
    const all = jobs.toReversed().filter((job) => status === undefined || job.status === status)
    const from = Number(cursor ?? 0)
    const next = from + limit < all.length ? String(from + limit) : null
    return { items: all.slice(from, from + limit), next }
  }
  const get = async (id: string) => {
    calls.get += 1
    const job = jobs.find(({ job_id }) => job_id === id)
    if (job) return job
    throw new ProblemError({ status: 404, code: 'not_found', detail: 'There is no such job.' })
  }
  const followed: string[] = []
  const follow = async (id: string) => {
    followed.push(id)
  }
  const client = { jobs: { list, get } } as unknown as Pick<Client, 'jobs'>
  const add = (status: string, completed_at: string | null = null) => {
    const at = String(jobs.length).padStart(5, '0')
    jobs.push({ ...summary(), job_id: `job-${at}`, status, created_at: `2026-01-01T00:${at}Z`, completed_at })
    return `job-${at}`
  }
  const set = (id: string, status: string) => {
    for (const job of jobs) if (job.job_id === id) job.status = status
  }
  return { jobs, add, set, followed, calls, monitor: new JobMonitor({ client, sinceMs, follow }) }
}

it('follows each job once, when it runs or has ended', async () => {
  const { add, set, followed, monitor } = server()
  const [running, waiting] = [add('running'), add('pending')]
  await monitor.check()
  expect(followed).toEqual([running])
  set(waiting, 'running')
  const fast = add('completed', '2026-01-01T00:00:00Z')
  await monitor.check()
  await monitor.check()
  expect(followed).toEqual([running, fast, waiting])
})

it('does not follow jobs that ended before, but those that ended while nothing watched', async () => {
  const { add, followed, monitor } = server(Date.parse('2026-01-01T12:00:00Z'))
  add('completed', '2026-01-01T11:00:00Z')
  const missed = add('failed', '2026-01-01T13:00:00Z')
  await monitor.check()
  expect(followed).toEqual([missed])
})

it('finds old waiting jobs that start and end between two checks, among many', async () => {
  const { add, set, followed, calls, monitor } = server()
  const waiting = Array.from({ length: 130 }, () => add('pending'))
  await monitor.check()
  const [first = '', second = ''] = waiting
  set(first, 'running')
  set(second, 'cancelled')
  for (let at = 0; at < 85; at++) await monitor.check()
  expect(followed.toSorted()).toEqual([first, second])
  expect(calls.get).toBeLessThanOrEqual(90)
})

it('reads all new jobs, however many were added', async () => {
  const { add, followed, monitor } = server()
  add('pending')
  await monitor.check()
  const added = Array.from({ length: 170 }, () => add('completed', '2026-01-01T00:00:00Z'))
  await monitor.check()
  expect(followed.toSorted()).toEqual(added)
})

it('forgets a waiting job that was deleted', async () => {
  const { jobs, add, followed, monitor } = server()
  const gone = add('pending')
  for (let at = 0; at < 60; at++) add('pending')
  await monitor.check()
  jobs.splice(0, 1)
  for (let at = 0; at < 15; at++) await monitor.check()
  expect(gone).toBe('job-00000')
  expect(followed).toEqual([])
})
