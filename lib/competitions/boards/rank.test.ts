import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatScore } from '../columns'
import { rankAtOnce } from '../testing/rank-at-once'
import { type BoardRules, type RankedRow, type ScoredEntry, withChanges } from './rank'

const columns: BoardRules['columns'] = {
  acc: { split: 'public', order: 'desc', digits: 2 },
  loss: { split: 'public', order: 'asc', digits: 1 },
  priv: { split: 'private', order: 'desc', digits: 2 },
}

const rulesOf = (more: Partial<BoardRules> = {}): BoardRules => ({
  select: { rule: 'best', by: 'acc' },
  board: { rank: 'acc', ties: [] },
  columns,
  shown: [{ name: 'acc', ...columns.acc } as BoardRules['shown'][number]],
  revealed: false,
  ...more,
})

let made = 0
const entryOf = (
  team: string,
  scores: Record<string, unknown>,
  more: Partial<ScoredEntry> = {},
): ScoredEntry => {
  made += 1
  const id = String(made).padStart(6, '0')
  return {
    id,
    teamId: team,
    team,
    receivedAt: new Date(made * 1000),
    chosen: false,
    scores,
    entries: 1,
    ...more,
  }
}

const ranksOf = (rows: readonly RankedRow[]) => rows.map(({ team, rank }) => [team, rank])

describe('the rank of teams', () => {
  it('equal digits share a rank, and the next team has the rank that it would have otherwise', () => {
    const rows = rankAtOnce(
      [
        entryOf('a', { acc: 0.904 }),
        entryOf('b', { acc: 0.9 }),
        entryOf('c', { acc: 0.899_999 }),
        entryOf('d', { acc: 0.89 }),
      ],
      rulesOf(),
    )
    expect(ranksOf(rows)).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 4],
    ])
    expect(rows.map(({ values }) => values.acc)).toEqual(['0.90', '0.90', '0.90', '0.89'])
  })

  it('tie columns decide between equal teams, also by their digits', () => {
    const rules = rulesOf({ board: { rank: 'acc', ties: ['loss'] } })
    const rows = rankAtOnce(
      [
        entryOf('late', { acc: 1, loss: 0.54 }),
        entryOf('same', { acc: 1, loss: 0.5 }),
        entryOf('best', { acc: 1, loss: 0.4 }),
      ],
      rules,
    )
    expect(ranksOf(rows)).toEqual([
      ['best', 1],
      ['late', 2],
      ['same', 2],
    ])
  })

  it.each([
    [{ acc: Number.NaN }],
    [{ acc: Number.POSITIVE_INFINITY }],
    [{ acc: null }],
    [{ acc: '0.99' }],
    [{ loss: 1 }],
    [{ acc: 0.99, other: Number.NaN }],
    [{}],
  ])('an entry with the scores %j has no row, and does not displace another one of its team', (scores) => {
    const rows = rankAtOnce(
      [entryOf('a', { acc: 0.5 }), entryOf('a', scores), entryOf('b', scores)],
      rulesOf(),
    )
    expect(ranksOf(rows)).toEqual([['a', 1]])
  })

  it('a baseline stands behind the teams that it equals, has no rank and takes none', () => {
    const baseline = { teamId: null }
    const rows = rankAtOnce(
      [
        entryOf('zero', { acc: 0.5 }, baseline),
        entryOf('a', { acc: 0.5 }),
        entryOf('good', { acc: 0.9 }, baseline),
        entryOf('b', { acc: 0.4 }),
      ],
      rulesOf(),
    )
    expect(ranksOf(rows)).toEqual([
      ['good', null],
      ['a', 1],
      ['zero', null],
      ['b', 2],
    ])
    expect(rows.map(({ kind }) => kind)).toEqual(['baseline', 'team', 'baseline', 'team'])
  })

  it('the final column ranks the selection of the public one: a better private score that was not selected does not count', () => {
    const entries = [
      entryOf('a', { acc: 0.9, priv: 0.1 }),
      entryOf('a', { acc: 0.8, priv: 0.99 }),
      entryOf('b', { acc: 0.7, priv: 0.5 }),
    ]
    const rules = rulesOf({ board: { rank: 'acc', final: 'priv', ties: [] } })
    expect(ranksOf(rankAtOnce(entries, rules))).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    expect(ranksOf(rankAtOnce(entries, { ...rules, revealed: true }))).toEqual([
      ['b', 1],
      ['a', 2],
    ])
  })

  it('the better one of two chosen entries counts, by the column of the rank at that time', () => {
    const entries = [
      entryOf('a', { acc: 0.95, priv: 0.9 }),
      entryOf('a', { acc: 0.6, priv: 0.7 }, { chosen: true }),
      entryOf('a', { acc: 0.7, priv: 0.4 }, { chosen: true }),
    ]
    const rules = rulesOf({
      select: { rule: 'chosen', n: 2, fallback: 'acc' },
      board: { rank: 'acc', final: 'priv', ties: [] },
      shown: Object.entries(columns).map(([name, column]) => ({ name, ...column })),
    })
    expect(rankAtOnce(entries, rules)[0]?.values.acc).toBe('0.70')
    expect(rankAtOnce(entries, { ...rules, revealed: true })[0]?.values.priv).toBe('0.70')
  })

  it('values of a column that is not shown are in no row', () => {
    const rows = rankAtOnce([entryOf('a', { acc: 1, priv: 0.123_456 })], rulesOf())
    expect(JSON.stringify(rows)).not.toContain('0.12')
  })

  it('the places that a team won are those since an earlier board', () => {
    const before = rankAtOnce([entryOf('a', { acc: 0.9 }), entryOf('b', { acc: 0.8 })], rulesOf())
    const after = rankAtOnce(
      [entryOf('a', { acc: 0.9 }), entryOf('b', { acc: 1 }), entryOf('c', { acc: 0.1 })],
      rulesOf(),
    )
    expect(withChanges(after, before).map(({ team, change }) => [team, change])).toEqual([
      ['b', 1],
      ['a', -1],
      ['c', null],
    ])
  })
})

/** The rank of each team, by counting the teams that are better: another way than sorting, to compare with. */
function modelRanks(
  entries: readonly ScoredEntry[],
  { select, board, revealed }: BoardRules,
): Map<string, number> {
  const shown = (entry: ScoredEntry, name: string) => {
    const value = entry.scores[name]
    const column = columns[name]
    if (!column || typeof value !== 'number' || !Number.isFinite(value)) return null
    return Number(formatScore(value, column.digits)) * (column.order === 'asc' ? -1 : 1)
  }
  const beats = (a: ScoredEntry, b: ScoredEntry, names: string[]): boolean => {
    for (const name of names) {
      const [one, other] = [shown(a, name) ?? -Infinity, shown(b, name) ?? -Infinity]
      if (one !== other) return one > other
    }
    return false
  }
  const earlier = (a: ScoredEntry, b: ScoredEntry) =>
    a.receivedAt < b.receivedAt || (a.receivedAt.getTime() === b.receivedAt.getTime() && a.id < b.id)
  const by = select.rule === 'best' ? select.by : select.rule === 'chosen' ? select.fallback : 'acc'
  const needed = [board.rank, ...board.ties, ...(select.rule === 'last' ? [] : [by])]
  const ranking = [revealed && board.final !== undefined ? board.final : board.rank, ...board.ties]
  const counting = new Map<string, ScoredEntry>()
  for (const team of new Set(entries.map(({ teamId }) => teamId ?? ''))) {
    const eligible = entries.filter(
      (entry) =>
        entry.teamId === team &&
        needed.every((name) => shown(entry, name) !== null) &&
        Object.keys(entry.scores).every((name) => shown(entry, name) !== null),
    )
    const chosen = eligible.filter((entry) => entry.chosen)
    const pool = select.rule === 'chosen' && chosen.length > 0 ? chosen : eligible
    const before = (a: ScoredEntry, b: ScoredEntry) =>
      select.rule === 'last' ? earlier(b, a) : beats(a, b, [by]) || (!beats(b, a, [by]) && earlier(a, b))
    const most = select.rule === 'chosen' ? select.n : 1
    const selected = pool.filter((one) => pool.filter((other) => before(other, one)).length < most)
    for (const entry of selected.filter((one) => ranking.every((name) => shown(one, name) !== null))) {
      const best = counting.get(team)
      if (!best || beats(entry, best, ranking)) counting.set(team, entry)
    }
  }
  return new Map(
    [...counting].map(([team, entry]) => [
      team,
      1 + [...counting.values()].filter((other) => beats(other, entry, ranking)).length,
    ]),
  )
}

const score = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -20, max: 20 }).map((value) => value / 8) },
  fc.double({ min: -0.02, max: 0.02, noNaN: true }),
  fc.constantFrom(Number.NaN, null, 0.005, 1.005, -0.001),
)
const entries = fc.array(
  fc.record({
    teamId: fc.constantFrom('a', 'b', 'c', 'd'),
    seconds: fc.integer({ min: 0, max: 5 }),
    chosen: fc.boolean(),
    scores: fc.record({ acc: score, loss: score, priv: score }, { requiredKeys: [] }),
  }),
  { maxLength: 14 },
)
const rules = fc.record({
  select: fc.oneof(
    fc.record({ rule: fc.constant('best' as const), by: fc.constantFrom('acc', 'loss') }),
    fc.constant({ rule: 'last' as const }),
    fc.record({
      rule: fc.constant('chosen' as const),
      n: fc.integer({ min: 1, max: 3 }),
      fallback: fc.constantFrom('acc', 'loss'),
    }),
  ),
  board: fc.record({
    rank: fc.constantFrom('acc', 'loss'),
    final: fc.constantFrom(undefined, 'priv'),
    ties: fc.constantFrom<string[][]>([], ['loss'], ['acc', 'loss']),
  }),
  revealed: fc.boolean(),
})

it('ranks are those of a model that counts the better teams, whatever the rules and the order of the entries', () => {
  fc.assert(
    fc.property(entries, rules, fc.boolean(), (given, drawn, reversed) => {
      const all = given.map(({ seconds, ...entry }, index) => ({
        ...entry,
        id: String(index).padStart(3, '0'),
        team: entry.teamId,
        receivedAt: new Date(seconds * 1000),
        entries: 1,
      }))
      const full = rulesOf(drawn)
      const rows = rankAtOnce(reversed ? all.toReversed() : all, full)
      expect(new Map(rows.map(({ team, rank }) => [team, rank]))).toEqual(modelRanks(all, full))
      expect(rows.map(({ rank }) => rank)).toEqual(
        rows.map(({ rank }) => rank).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      )
    }),
    { numRuns: 2_000 },
  )
})
