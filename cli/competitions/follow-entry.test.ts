import { describe, expect, it } from 'vitest'
import type { Entry } from '@/lib/competitions/contract-entries'
import { fakeContext, idOf } from '../testing/fake-context'
import { followEntry } from './follow-entry'

const entry = (changes: Partial<Entry> = {}): Entry => ({
  id: idOf(7),
  competition_id: 'cup',
  phase: 'main',
  kind: 'entry',
  name: null,
  team: 'eagles',
  user_id: 'ada',
  state: 'held',
  cause: null,
  message: 'It waits for a place among the entries of the competition.',
  received_at: '2027-01-10T10:00:00.000Z',
  ended_at: null,
  seconds: null,
  scores: {},
  chosen: false,
  disqualified: null,
  log: false,
  source_sha256: 'ab',
  provenance: null,
  job_id: null,
  ...changes,
})
const quota = {
  per_day: { limit: 5, used: 1, left: 4, resets_at: '2027-01-11T00:00:00.000Z' },
  total: null,
  failures_per_day: null,
}
const submitted = { job_id: idOf(7), status: 'pending', entry: entry(), rank: null, quota }
const ended = { state: 'scored', message: 'It is scored.', scores: { acc: '0.988' } } as const

/** A server whose entry has ended in this way. */
const server = (changes: Partial<Entry>) =>
  fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/log')) return new Response('loss 0.5\n')
    if (pathname.endsWith('/quota')) return Response.json({ quota, waiting: [] })
    if (pathname.endsWith('/leaderboard'))
      return Response.json({
        competition_id: 'cup',
        phase: 'main',
        columns: [],
        rank_by: 'acc',
        frozen_at: null,
        revealed: false,
        updated_at: '2027-01-10T10:00:00.000Z',
        total: 1,
        rows: [],
        own: {
          rank: 3,
          change: null,
          team: 'eagles',
          kind: 'team',
          values: {},
          entries: 1,
          best_at: '2027-01-10T10:00:00.000Z',
          own: true,
        },
      })
    return Response.json(entry({ ended_at: '2027-01-10T10:05:00.000Z', ...changes }))
  })

describe('gpuq submit of an entry', () => {
  it('shows the score, the rank and what is left of the quota, and no output', async () => {
    const context = server(ended)
    expect(await followEntry(context, submitted, { wait: true })).toBe(0)
    expect(context.written.out).toBe('gpuq: It is scored. acc 0.988, rank 3, 4 of 5 entries left today.\n')
    expect(context.written.err).toContain('It waits for a place among the entries of the competition.')
  })

  it('writes what a rehearsal printed, and fails with it', async () => {
    const context = server({
      kind: 'rehearsal',
      state: 'failed',
      cause: 'own_error',
      message: 'The program failed. Read its log.',
      log: true,
    })
    expect(await followEntry(context, submitted, { wait: true, quiet: true })).toBe(1)
    expect(context.written.out).toMatch(/^loss 0\.5\ngpuq: The program failed\. Read its log\./)
    expect(context.written.err).toBe('')
  })

  it('with --json it is one document', async () => {
    const context = server(ended)
    expect(await followEntry(context, submitted, { wait: true, json: true })).toBe(0)
    expect(JSON.parse(context.written.out)).toMatchObject({ entry: { state: 'scored' }, rank: 3, quota })
  })

  it('without waiting it prints the id', async () => {
    const context = server(ended)
    expect(await followEntry(context, submitted, { wait: false })).toBe(0)
    expect(context.written.out).toBe(`${idOf(7)}\n`)
  })
})
