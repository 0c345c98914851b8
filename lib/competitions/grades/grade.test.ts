import { describe, expect, it } from 'vitest'
import type { ScoredEntry } from '../boards/rank'
import { competitionConfigSchema, type PhaseConfig } from '../contract-config'
import type { Extension } from '../contract-grades'
import { competitionKeys, openPhase } from '../testing/competition-keys'
import { type GradedPhase, gradeOf, gradeStudent } from './grade'

const endsAt = new Date('2027-02-01T00:00Z')
const after = (days: number) => new Date(endsAt.getTime() + days * 86_400_000)

/** A scored entry that was received so many days after the end of the phase. */
const entry = (id: string, days: number, scores: Record<string, unknown>, chosen = false): ScoredEntry => ({
  id,
  teamId: 'team',
  team: 'team',
  receivedAt: after(days),
  chosen,
  scores,
  entries: 1,
})

const late = { percent_per_day: 10, max_days: 2 }

function phaseOf(
  keys: Parameters<typeof openPhase>[0],
  entries: ScoredEntry[],
  given: Partial<GradedPhase> & { ends?: Date } = {},
): GradedPhase {
  const config = competitionConfigSchema.parse(competitionKeys({ phases: [openPhase({ late, ...keys })] }))
  const spec = config.phases[0] as PhaseConfig
  const { ends = endsAt, ...more } = given
  return { phase: { key: spec.key, endsAt: ends, spec }, entries, extension: null, override: null, ...more }
}

const rules = {
  columns: competitionConfigSchema.parse(competitionKeys()).scorer.columns,
  timezone: 'UTC',
  isFinal: () => false,
}
const cellsOf = (phases: GradedPhase[], graceDays = 0) => gradeStudent(phases, rules, graceDays)
const cellOf = (phase: GradedPhase, graceDays = 0) => cellsOf([phase], graceDays).cells[0]

const extension = (days: number): Extension => ({
  until: after(days).toISOString(),
  reason: 'ill',
  by: 'ben',
  at: endsAt.toISOString(),
})

describe('the grade of a phase', () => {
  it('is the best result after the penalty, among entries on time and late ones', () => {
    const onTime = entry('a', -1, { acc: 0.8, priv: 0.1 })
    const better = entry('b', 0.5, { acc: 0.9, priv: 0.9 })
    expect(cellOf(phaseOf({}, [onTime, better]))).toMatchObject({ entry_id: 'b', raw: 0.9, value: 0.81 })
    const slightly = entry('c', 0.5, { acc: 0.85, priv: 0.9 })
    expect(cellOf(phaseOf({}, [onTime, slightly]))).toMatchObject({ entry_id: 'a', value: 0.8 })
  })

  it('follows the selection rule among the entries that are equally late', () => {
    const entries = [
      entry('a', -2, { acc: 0.9, priv: 0.9 }),
      entry('b', -1, { acc: 0.7, priv: 0.1 }),
      entry('c', 0.2, { acc: 0.9, priv: 0.9 }),
      entry('d', 0.4, { acc: 0.2, priv: 0.9 }),
    ]
    expect(cellOf(phaseOf({ select: { rule: 'last' } }, entries))).toMatchObject({ entry_id: 'b' })
    expect(cellOf(phaseOf({}, entries))).toMatchObject({ entry_id: 'a' })
    const chosen = [entry('e', -1.5, { acc: 0.5, priv: 0.9 }, true), ...entries.slice(0, 2)]
    expect(cellOf(phaseOf({ select: { rule: 'chosen', n: 1, fallback: 'acc' } }, chosen))).toMatchObject({
      entry_id: 'e',
    })
  })

  it('scales scores from 0 to 1 to the points of the phase, and keeps others', () => {
    const entries = [entry('a', 0.5, { acc: 0.9, priv: 0.9 })]
    expect(cellOf(phaseOf({ points: 50 }, entries))).toMatchObject({ value: 40.5, points: 50 })
    expect(gradeOf(7, { points: 50, percent: 0, digits: 3 })).toBe(50)
    expect(gradeOf(-0.5, { points: 50, percent: 0, digits: 3 })).toBe(0)
    expect(gradeOf(-2, { points: undefined, percent: 10, digits: 3 })).toBe(-2.2)
  })

  it('is that of the final column for readers who may see it', () => {
    const phase = phaseOf({}, [entry('a', -1, { acc: 0.9, priv: 0.4 })])
    expect(gradeStudent([phase], { ...rules, isFinal: () => true }, 0).cells[0]).toMatchObject({
      column: 'priv',
      value: 0.4,
    })
    expect(cellOf(phase)).toMatchObject({ column: 'acc', value: 0.9 })
  })

  it('changes with an extension, and a grade that the staff set replaces it without hiding the entry', () => {
    const entries = [entry('a', 1.5, { acc: 0.5, priv: 0.9 })]
    expect(cellOf(phaseOf({}, entries))).toMatchObject({ value: 0.4 })
    expect(cellOf(phaseOf({}, entries, { extension: extension(2) }))).toMatchObject({ value: 0.5 })
    const override = { value: 1, reason: 'a talk', by: 'ana', at: endsAt.toISOString() }
    expect(cellOf(phaseOf({}, entries, { override }))).toMatchObject({
      value: 1,
      raw: 0.5,
      entry_id: 'a',
      override,
    })
  })

  it('is none if all entries are too late, lack a column or are no numbers, and the sentence says why', () => {
    expect(cellOf(phaseOf({}, [entry('a', 5, { acc: 1, priv: 1 })]))).toMatchObject({
      value: null,
      entry_id: null,
      penalty: { explanation: expect.stringContaining('so it does not count') },
    })
    expect(cellOf(phaseOf({}, [entry('a', -1, { priv: 1 })]))).toMatchObject({ value: null, penalty: null })
    expect(cellOf(phaseOf({}, [entry('a', -1, { acc: 'NaN' })]))).toMatchObject({ value: null })
    expect(cellOf(phaseOf({}, []))).toMatchObject({ value: null, penalty: null })
  })
})

it('grace days are used by the phase that ends first, and what is left by the next one', () => {
  const second = phaseOf({ key: 'second' }, [entry('b', 11.5, { acc: 0.5, priv: 0 })], { ends: after(10) })
  const first = phaseOf({ key: 'first' }, [entry('a', 0.5, { acc: 0.5, priv: 0 })])
  const { cells, graceDaysLeft } = cellsOf([second, first], 2)
  expect(cells.map(({ phase, value, penalty }) => [phase, value, penalty?.grace_days_used])).toEqual([
    ['second', 0.45, 1],
    ['first', 0.5, 1],
  ])
  expect(graceDaysLeft).toBe(0)
})

it('of entries with the same result, the one that uses fewer grace days counts', () => {
  const entries = [entry('a', -1, { acc: 0.5, priv: 0 }), entry('b', 0.5, { acc: 0.5, priv: 0 })]
  expect(cellsOf([phaseOf({}, entries)], 3)).toMatchObject({ cells: [{ entry_id: 'a' }], graceDaysLeft: 3 })
})
