import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseEntries, type WaitingTeam } from './choose-entries'

const team = (waiting: Record<string, number>, { unfinished = 0, used = 0 } = {}): WaitingTeam => ({
  unfinished,
  used,
  entries: Object.entries(waiting).map(([id, receivedMs]) => ({ id, receivedMs })),
})

describe('the next entries of a competition', () => {
  it('a team that sent many entries first: another team gets the second place', () => {
    const many = team({ a1: 1, a2: 2, a3: 3 })
    expect(chooseEntries([many, team({ b1: 100 })], 3)).toEqual(['a1', 'b1', 'a2'])
  })

  it('a team without a running job comes before one that waits longer and has one', () => {
    const busy = team({ a1: 1 }, { unfinished: 1 })
    expect(chooseEntries([busy, team({ b1: 2 }, { used: 9 })], 1)).toEqual(['b1'])
  })

  it('one place at a time: teams take turns, because the one that used less is next', () => {
    expect(chooseEntries([team({ a2: 2, a3: 3 }, { used: 1 }), team({ b1: 100 })], 1)).toEqual(['b1'])
  })

  it('teams that used the same: the entry that has waited longest is first, whatever the order of the rows', () => {
    const teams = [team({ late: 2 }), team({ early: 1 })]
    expect(chooseEntries(teams, 2)).toEqual(['early', 'late'])
    expect(chooseEntries(teams.toReversed(), 2)).toEqual(['early', 'late'])
  })

  it('no place, or no entry: nothing is chosen', () => {
    expect(chooseEntries([team({ a: 1 })], 0)).toEqual([])
    expect(chooseEntries([team({})], 3)).toEqual([])
  })

  it('whatever waits: the places are used up, and no two teams with waiting entries differ by more than one job', () => {
    const teams = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(teams, fc.integer({ min: 0, max: 40 }), (counts, places) => {
        const waiting = counts.map((count, index) =>
          team(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${index}-${n}`, n]))),
        )
        const chosen = chooseEntries(waiting, places)
        const total = counts.reduce((sum, count) => sum + count, 0)
        expect(new Set(chosen).size).toBe(Math.min(places, total))
        const got = counts.map((_, index) => chosen.filter((id) => id.startsWith(`${index}-`)).length)
        const most = Math.max(...got)
        for (const [index, count] of counts.entries())
          if ((got[index] ?? 0) < count) expect(most - (got[index] ?? 0)).toBeLessThanOrEqual(1)
      }),
    )
  })
})
