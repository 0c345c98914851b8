import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ClaimLog, decideForgotten, type Entry, type MissingSince } from './claim-log'

const account = 'ada'
const takenFrom = (...entries: Entry[]): ClaimLog => {
  const taken = new ClaimLog(account)
  for (const entry of entries) taken.add(entry)
  return taken
}
const take = (line: string, nth: number, key = `${line}-${nth}`): Entry => ({ account, line, nth, key })
const done = (line: string, nth: number): Entry => ({ account, line, nth, job: 'a-job' })
const forget = (line: string, forgotten: number): Entry => ({ account, line, forgotten })

it('claims a line as often as it appears, and no more', () => {
  const taken = takenFrom(take('a', 1), done('a', 1))
  expect(taken.missing(new Map([['a', 1]]))).toEqual([])
  expect(
    taken.missing(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    ),
  ).toEqual([
    { line: 'a', nth: 2 },
    { line: 'a', nth: 3 },
    { line: 'b', nth: 1 },
  ])
})

it('uses the key of the first of two watchers', () => {
  const taken = takenFrom(take('a', 1, 'first'), take('a', 1, 'second'))
  expect(taken.open('a')).toEqual([{ line: 'a', nth: 1, key: 'first' }])
  taken.add(done('a', 1))
  taken.add(take('a', 1, 'third'))
  expect(taken.open('a')).toEqual([])
})

it('keeps a claim open until its job exists', () => {
  const taken = takenFrom(take('a', 1), take('a', 2), done('a', 1))
  expect(taken.open('a').map(({ nth }) => nth)).toEqual([2])
  expect(taken.missing(new Map([['a', 2]]))).toEqual([])
})

it('claims a line again after it was removed', () => {
  const taken = takenFrom(take('a', 1), done('a', 1), forget('a', 1))
  expect(taken.missing(new Map([['a', 1]]))).toEqual([{ line: 'a', nth: 2 }])
})

it('ignores the claims of other accounts', () => {
  const taken = takenFrom({ account: 'other', line: 'a', nth: 1, key: 'k' })
  expect(taken.missing(new Map([['a', 1]]))).toEqual([{ line: 'a', nth: 1 }])
})

it('forgets a line that stays removed, but not one that comes back', () => {
  const taken = takenFrom(take('a', 1), done('a', 1))
  const gone = taken.gone(new Map())
  const first = decideForgotten(gone, new Map(), 1000, 30_000)
  expect(first.forget).toEqual([])
  const back = decideForgotten(taken.gone(new Map([['a', 1]])), first.since, 20_000, 30_000)
  expect(back.since.size).toBe(0)
  const again = decideForgotten(gone, back.since, 21_000, 30_000)
  expect(decideForgotten(gone, again.since, 50_000, 30_000).forget).toEqual([])
  expect(decideForgotten(gone, again.since, 51_000, 30_000).forget).toEqual([{ line: 'a', times: 0 }])
})

it('submits no job twice, however often several watchers read, write, crash and restart', () => {
  // Each step is one watcher that reads the current log and completes a part of its work.
  const step = fc.record({
    times: fc.nat(3),
    /** Another watcher writes its claims between this watcher's read and its write. */
    stale: fc.boolean(),
    sends: fc.nat(4),
    notes: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const record: Entry[] = []
      /** The server: one job per key. */
      const jobs = new Map<string, number>()
      let most = 0
      for (const [at, { times, stale, sends, notes }] of steps.entries()) {
        most = Math.max(most, times)
        const missing = takenFrom(...record).missing(new Map([['a', times]]))
        const takes = missing.map(({ line, nth }) => take(line, nth, `watcher-${at}-${nth}`))
        if (stale) record.push(...missing.map(({ line, nth }) => take(line, nth, `stale-${at}-${nth}`)))
        record.push(...takes)
        for (const { nth, key } of takenFrom(...record)
          .open('a')
          .slice(0, sends)) {
          jobs.set(key, nth)
          if (notes) record.push(done('a', nth))
        }
      }
      const nths = [...jobs.values()]
      expect(new Set(nths).size).toBe(nths.length)
      expect(nths.length).toBeLessThanOrEqual(most)
      // The last watcher completes all its work, so that every claim has a job.
      for (const { nth, key } of takenFrom(...record).open('a')) jobs.set(key, nth)
      expect(jobs.size).toBe(most)
    }),
  )
})

it("tracks each line's absence separately", () => {
  const before: MissingSince = new Map([['a', { times: 1, since: 0 }]])
  expect(decideForgotten(new Map([['a', 0]]), before, 100, 50)).toEqual({
    forget: [],
    since: new Map([['a', { times: 0, since: 100 }]]),
  })
})

it('resets all lines once when a state file was deleted, also if two watchers notice it', () => {
  const written: Entry = { account, state: 'one', path: '/state.json' }
  const reset: Entry = { account, reset: 'one' }
  const taken = takenFrom(written, take('a', 1), done('a', 1), take('b', 1))
  expect(taken.stateId('/state.json')).toBe('one')
  taken.add(reset)
  expect([taken.stateId('/state.json'), taken.countPresent('a'), taken.open('b')]).toEqual([null, 0, []])
  taken.add(take('a', 1, 'new'))
  taken.add(reset)
  expect(taken.open('a')).toEqual([{ line: 'a', nth: 1, key: 'new' }])
  taken.add({ account: 'bob', reset: 'one' })
  taken.add({ account, reset: 'two' })
  expect(taken.countPresent('a')).toBe(1)
})
