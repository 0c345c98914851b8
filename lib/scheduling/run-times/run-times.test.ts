import { expect, it } from 'vitest'
import { type ProgramFacts, RunTimes } from './run-times'

const program: ProgramFacts = { userId: 'u', projectId: 'p', name: 'train', contentHash: null }
const limitMs = 1_000_000

function runTimesOf(runs: readonly (Partial<ProgramFacts> & { ratio: number })[]): RunTimes {
  const runTimes = new RunTimes()
  for (const { ratio, ...facts } of runs)
    runTimes.add({ program: { ...program, ...facts }, estimateMs: 100, ranMs: 100 * ratio })
  return runTimes
}

const repeat = (count: number, run: Partial<ProgramFacts> & { ratio: number }) => new Array(count).fill(run)

it('uses the estimate as long as it knows too few jobs', () => {
  const estimate = { expectedMs: 1_000, firstMs: 1_000, basis: 'estimate', jobs: 0, possibleMs: [] }
  expect(new RunTimes().predict(program, 1_000, limitMs)).toEqual(estimate)
  expect(runTimesOf(repeat(2, { ratio: 0.5 })).predict(program, 1_000, limitMs)).toEqual(estimate)
})

it('prefers the same content, then the same name, then the user, then everybody', () => {
  const runTimes = runTimesOf([
    ...repeat(5, { userId: 'other', projectId: 'q', ratio: 0.9 }),
    ...repeat(5, { name: 'other', ratio: 0.5 }),
    ...repeat(3, { ratio: 0.25 }),
    ...repeat(3, { name: null, contentHash: 'c', ratio: 0.1 }),
    // Another user of the project ran this content.
    ...repeat(3, { userId: 'other', name: null, contentHash: 'd', ratio: 0.1 }),
  ])
  const predict = (changes: Partial<ProgramFacts>) => {
    const { expectedMs, basis, jobs } = runTimes.predict({ ...program, ...changes }, 1_000, limitMs)
    return [expectedMs, basis, jobs]
  }
  expect(predict({ contentHash: 'c' })).toEqual([100, 'same_program', 3])
  expect(predict({})).toEqual([250, 'same_program', 3])
  // Nobody learns which programs other members run.
  expect(predict({ contentHash: 'd' })).toEqual([250, 'same_program', 3])
  expect(predict({ name: 'new' })).toEqual([250, 'same_user', 11])
  expect(predict({ name: null })).toEqual([250, 'same_user', 11])
  expect(predict({ userId: 'new', name: null })).toEqual([500, 'all_jobs', 19])
  // The same name in another project is another program.
  expect(predict({ projectId: 'new' })).toEqual([500, 'all_jobs', 19])
})

it('uses the 30 latest jobs', () => {
  const runTimes = runTimesOf([...repeat(100, { ratio: 0.1 }), ...repeat(30, { ratio: 0.5 })])
  expect(runTimes.predict(program, 1_000, limitMs)).toMatchObject({ expectedMs: 500, jobs: 30 })
})

it('considers only longer jobs once the prediction has passed, then the estimate', () => {
  const runTimes = runTimesOf([0.1, 0.2, 0.3, 0.6, 0.7].map((ratio) => ({ ratio })))
  const predict = (elapsedMs: number) => runTimes.predict(program, 1_000, limitMs, elapsedMs).expectedMs
  expect([0, 299, 300, 650, 700, 2_000].map(predict)).toEqual([300, 300, 700, 700, 1_000, 1_000])
  expect(runTimes.predict(program, 1_000, limitMs, 650).firstMs).toBe(300)
})

it('predicts no time above the limit', () => {
  const { expectedMs, possibleMs } = runTimesOf(repeat(3, { ratio: 5 })).predict(program, 1_000, 2_000)
  expect([expectedMs, ...possibleMs]).toEqual([2_000, 2_000, 2_000, 2_000])
})
