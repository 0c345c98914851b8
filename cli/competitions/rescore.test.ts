import { describe, expect, it } from 'vitest'
import type { CompetitionDetail } from '@/lib/competitions/contract'
import type { RescoreDetail } from '@/lib/competitions/contract-rescores'
import { fakeContext, idOf } from '../testing/fake-context'
import { rescore } from './rescore'

const set = (changes: Partial<RescoreDetail> = {}): RescoreDetail => ({
  id: idOf(7),
  competition_id: 'cup',
  phase: 'main',
  state: 'running',
  scorer_version: 2,
  labels: { truth: 'truth@1' },
  created_by: 'ada',
  created_at: '2027-01-10T10:00:00.000Z',
  ended_at: null,
  progress: { entries: 3, waiting: 2, running: 1, scored: 0, failed: 0 },
  awaited: 0,
  outdated: false,
  failures: [],
  preview: null,
  ...changes,
})

const ready = set({
  state: 'ready',
  progress: { entries: 3, waiting: 0, running: 0, scored: 2, failed: 1 },
  failures: [
    {
      entry_id: idOf(9),
      team: 'owls',
      kind: 'entry',
      message: 'The program ended with an error.',
      keeps: true,
    },
  ],
  preview: {
    columns: [{ name: 'acc', order: 'desc', digits: 3, split: 'public' }],
    rank_by: 'acc',
    unchanged: 1,
    total: 2,
    rows: [
      {
        team: 'eagles',
        kind: 'team',
        rank: { before: 2, after: 1 },
        values: { before: { acc: '0.800' }, after: { acc: '0.950' } },
      },
      {
        team: 'hawks',
        kind: 'team',
        rank: { before: null, after: 2 },
        values: { before: null, after: { acc: '0.900' } },
      },
    ],
  },
})

const phase = (key: string): CompetitionDetail['phases'][number] => ({
  key,
  title: key,
  state: 'open',
  starts_at: '2027-01-10T10:00:00.000Z',
  ends_at: '2027-02-10T10:00:00.000Z',
  logs: 'none',
  rehearse: false,
  run: { environment: null, gpu_count: 1, gpu_fraction: null, gpu_model: null, max_time: 60 },
  quota: { per_day: 5, total: null, failures_per_day: null },
  late: null,
  points: null,
  select: 'last',
  choose: 0,
  outputs: ['pred.csv'],
  inputs: [],
  freeze_at: null,
  frozen: false,
  revealed: false,
})

const competition = (phases: readonly string[]): CompetitionDetail => ({
  competition_id: 'cup',
  title: 'A cup',
  visibility: 'public',
  join: 'open',
  team_max: 1,
  timezone: 'UTC',
  published: true,
  created_at: '2027-01-10T10:00:00.000Z',
  role: 'host',
  state: 'joined',
  phases: phases.map(phase),
  pages: [],
  terms: null,
  terms_accepted: true,
  teams: 2,
  datasets: [],
  columns: [],
  scorer_version: 2,
  project: null,
  missing: [],
})

/** A server with a competition of these phases, and these sets. The set is ready when it is read the second time. */
function server({ sets = [], phases = ['main'] }: { sets?: RescoreDetail[]; phases?: string[] } = {}) {
  const asked: string[] = []
  let reads = 0
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname}`)
    if (pathname === '/api/competitions/cup') return Response.json(competition(phases))
    if (pathname.endsWith('/rescores'))
      return request.method === 'POST' ? Response.json(set(), { status: 201 }) : Response.json(sets)
    if (pathname.endsWith('/apply')) return Response.json({ ...set(), state: 'applied' })
    if (pathname.endsWith('/discard')) return Response.json({ ...set(), state: 'discarded' })
    reads += 1
    return Response.json(reads > 1 || sets.some(({ state }) => state === 'ready') ? ready : set())
  })
  return { context, asked }
}

const writes = (asked: string[]) => asked.filter((one) => one.startsWith('POST'))

describe('gpuq competition rescore', () => {
  it('without an open set: makes one, waits until it is ready, and shows who moves', async () => {
    const { context, asked } = server()
    expect(await rescore(context, 'cup', {})).toBe(0)
    expect(writes(asked)).toEqual(['POST /api/competitions/cup/phases/main/rescores'])
    expect(context.written.err).toContain('Scoring 3 entries of "main" again with version 2')
    expect(context.written.err).toContain('0 of 3 entries scored')
    expect(context.written.out).toMatch(/2 → 1 +eagles +0\.800 → 0\.950/)
    expect(context.written.out).toMatch(/- → 2 +hawks +- → 0\.900/)
    expect(context.written.out).toContain('1 row of the board stays as before.')
    expect(context.written.out).toContain(
      `${idOf(9)} of owls: The program ended with an error. Its earlier score stays.`,
    )
    expect(context.written.out).toContain('Add --apply')
  })

  it('with an open set: shows it, and makes no other', async () => {
    const { context, asked } = server({ sets: [ready] })
    expect(await rescore(context, 'cup', {})).toBe(0)
    expect(writes(asked)).toEqual([])
    expect(context.written.out).toContain('eagles')
  })

  it('--apply shows the set and applies it, and --discard discards it', async () => {
    const applied = server({ sets: [ready] })
    expect(await rescore(applied.context, 'cup', { phase: 'main', apply: true })).toBe(0)
    expect(writes(applied.asked)).toEqual([`POST /api/rescores/${idOf(7)}/apply`])
    expect(applied.context.written.out).toMatch(/eagles[\s\S]*Applied: the new scores of "main" count\./)
    const discarded = server({ sets: [ready] })
    expect(await rescore(discarded.context, 'cup', { discard: true })).toBe(0)
    expect(writes(discarded.asked)).toEqual([`POST /api/rescores/${idOf(7)}/discard`])
  })

  it.each([
    ['--apply without an open set', { apply: true }, 'has no set of new scores'],
    ['both options', { apply: true, discard: true }, 'not both'],
  ])('%s is refused, and nothing changes', async (_, options, message) => {
    const { context, asked } = server({ sets: [set({ state: 'applied' })] })
    await expect(rescore(context, 'cup', options)).rejects.toThrow(message)
    expect(writes(asked)).toEqual([])
  })

  it('a competition with several phases needs --phase', async () => {
    const { context } = server({ phases: ['warm-up', 'main'] })
    await expect(rescore(context, 'cup', {})).rejects.toThrow('--phase warm-up, or --phase main')
  })
})
