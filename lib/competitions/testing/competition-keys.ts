import { randomBytes } from 'node:crypto'
import type * as z from 'zod'
import type { competitionConfigSchema } from '../contract-config'

export type CompetitionKeys = z.input<typeof competitionConfigSchema>
type PhaseKeys = CompetitionKeys['phases'][number]

const hourMs = 3_600_000
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()

/** The keys of a phase that is open: it began an hour ago and ends tomorrow. */
export const openPhase = (keys: Partial<PhaseKeys> = {}): PhaseKeys => ({
  key: 'main',
  start: fromNow(-hourMs),
  end: fromNow(24 * hourMs),
  inputs: ['train', 'test'],
  labels: ['truth'],
  rehearse: 'sample',
  quota: { per_day: 5 },
  select: { rule: 'best', by: 'acc' },
  board: { rank: 'acc', final: 'priv' },
  ...keys,
})

/** The keys of a complete competition.yaml with one open phase. */
export const competitionKeys = (keys: Partial<CompetitionKeys> = {}): CompetitionKeys => ({
  slug: `competition-${randomBytes(4).toString('hex')}`,
  title: 'A competition',
  datasets: {
    train: { path: 'data/train', role: 'public' },
    sample: { path: 'data/sample', role: 'sample' },
    test: { path: 'data/test', role: 'input' },
    truth: { path: 'data/truth', role: 'labels' },
  },
  scorer: {
    program: 'scorer',
    command: 'python score.py',
    outputs: [{ path: 'pred.csv' }],
    columns: { acc: { split: 'public', digits: 3 }, priv: { split: 'private', digits: 3 } },
  },
  phases: [openPhase()],
  ...keys,
})
