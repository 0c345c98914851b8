import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ClaimLog, decideForgotten, type Entry, type GoneSince } from './claim-log'

const account = 'ada'
const takenFrom = (...entries: Entry[]): ClaimLog => {
  const taken = new ClaimLog(account)
  for (const entry of entries) taken.add(entry)
  return taken
}
const take = (line: string, nth: number, key = `${line}-${nth}`): Entry => ({ account, line, nth, key })
const done = (line: string, nth: number): Entry => ({ account, line, nth, job: 'a-job' })
const forget = (line: string, forgotten: number): Entry => ({ account, line, forgotten })

it('takes a line as often as it stands there, and no more', () => {
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

it('lets the first of two watchers name the key', () => {
  const taken = takenFrom(take('a', 1, 'first'), take('a', 1, 'second'))
  expect(taken.open('a')).toEqual([{ line: 'a', nth: 1, key: 'first' }])
  taken.add(done('a', 1))
  taken.add(take('a', 1, 'third'))
  expect(taken.open('a')).toEqual([])
})

it('leaves open what was taken and never became a job', () => {
  const taken = takenFrom(take('a', 1), take('a', 2), done('a', 1))
  expect(taken.open('a').map(({ nth }) => nth)).toEqual([2])
  expect(taken.missing(new Map([['a', 2]]))).toEqual([])
})

it('takes a line anew that was gone', () => {
  const taken = takenFrom(take('a', 1), done('a', 1), forget('a', 1))
  expect(taken.missing(new Map([['a', 1]]))).toEqual([{ line: 'a', nth: 2 }])
})

it('knows nothing of what another account took', () => {
  const taken = takenFrom({ account: 'other', line: 'a', nth: 1, key: 'k' })
  expect(taken.missing(new Map([['a', 1]]))).toEqual([{ line: 'a', nth: 1 }])
})

it('forgets a line that is gone for good, not one that comes back', () => {
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

it('makes no job twice, however several watchers read, write, crash and start again', () => {
  // Each step is one watcher that reads the record as it is, and gets a part of what it has to do done.
  const step = fc.record({
    times: fc.nat(3),
    /** Another one writes its takings between this one's look and its write. */
    stale: fc.boolean(),
    sends: fc.nat(4),
    notes: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const record: Entry[] = []
      /** The server: one job a key. */
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
      // Who comes last and gets everything done has all of them done.
      for (const { nth, key } of takenFrom(...record).open('a')) jobs.set(key, nth)
      expect(jobs.size).toBe(most)
    }),
  )
})

it('keeps the time of each line for itself', () => {
  const before: GoneSince = new Map([['a', { times: 1, since: 0 }]])
  expect(decideForgotten(new Map([['a', 0]]), before, 100, 50)).toEqual({
    forget: [],
    since: new Map([['a', { times: 0, since: 100 }]]),
  })
})
