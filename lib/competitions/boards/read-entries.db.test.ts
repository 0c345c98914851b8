import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { makeCompetition, type TestCompetition } from '../testing/competition'
import { rankAtOnce } from '../testing/rank-at-once'
import { insertScored } from '../testing/scored-entries'
import type { BoardRules, RankedRow, ScoredEntry } from './rank'
import { readEntries } from './read-entries'

const db = testDatabase()
let competition: TestCompetition
let userId = ''
let teams: string[] = []
const columns: BoardRules['columns'] = {
  acc: { split: 'public', order: 'desc', digits: 2 },
  loss: { split: 'public', order: 'asc', digits: 0 },
}
beforeAll(async () => {
  competition = await makeCompetition()
  userId = await makeUser()
  teams = await Promise.all(
    ['one', 'two', 'three'].map(
      async (team) => (await competition.join({ id: await makeUser() }, { team })) ?? '',
    ),
  )
})

// Many values round to the same digits, and PostgreSQL rounds some of them to others than JavaScript does.
const score = fc.oneof(
  fc.constantFrom(
    0.005,
    0.015,
    1.005,
    0.994_999,
    0.995,
    0.996,
    1,
    1e-9,
    -0.005,
    -0.004_999,
    0.5,
    1.5,
    2.5,
    1e21,
  ),
  fc.double({ min: -2, max: 2, noNaN: true }),
)
const entry = fc.record({
  team: fc.integer({ min: 0, max: 3 }),
  seconds: fc.integer({ min: 0, max: 9 }),
  chosen: fc.boolean(),
  scores: fc.oneof(
    { weight: 6, arbitrary: fc.record({ acc: score, loss: score }) },
    { weight: 1, arbitrary: fc.record({ acc: fc.constantFrom<unknown>('9', null, true), loss: score }) },
    { weight: 1, arbitrary: fc.record({ acc: score, loss: score, extra: fc.constant('9') }) },
    { weight: 1, arbitrary: fc.record({ loss: score }) },
  ),
})
const select = fc.oneof(
  fc.record({ rule: fc.constant('best' as const), by: fc.constantFrom('acc', 'loss') }),
  fc.constant({ rule: 'last' as const }),
  fc.record({
    rule: fc.constant('chosen' as const),
    n: fc.integer({ min: 1, max: 3 }),
    fallback: fc.constantFrom('acc', 'loss'),
  }),
)

it('the board of the entries that PostgreSQL selects is that of all entries, whatever the rules and the digits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 40 }),
      select,
      fc.constantFrom('acc', 'loss'),
      async (given, rule, by) => {
        await db.pool.query('TRUNCATE entries, score_runs')
        const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000)
        const rows = given.map(({ team, seconds, ...one }) => ({
          ...one,
          teamId: teams[team] ?? null,
          userId,
          receivedAt: at(seconds),
        }))
        const ids = await insertScored(competition, rows)
        const rules: BoardRules = {
          select: rule,
          board: { rank: by, ties: [] },
          columns,
          shown: Object.entries(columns).map(([name, column]) => ({ name, ...column })),
          revealed: false,
        }
        const all = rows.map(
          ({ teamId, receivedAt, chosen, scores }, index): ScoredEntry => ({
            id: ids[index] ?? '',
            teamId,
            team: teamId ?? 'Baseline',
            receivedAt,
            chosen,
            scores,
            entries: 0,
          }),
        )
        const { entries } = await readEntries(competition.phases.main ?? '', rules, null)
        const comparable = (found: RankedRow[]) =>
          found.map(({ team_id, rank, values, best_at }) => ({ team_id, rank, values, best_at }))
        expect(comparable(rankAtOnce(entries, rules))).toEqual(comparable(rankAtOnce(all, rules)))
      },
    ),
    { numRuns: 60 },
  )
})
