import { describe, expect, it } from 'vitest'
import { findLeaks } from './leak-rules'
import type { Sample } from './samples'

/** Samples of an hour, one per 12 seconds. */
const samplesOf = (valuesAt: (minute: number) => Record<string, number>): Sample[] =>
  Array.from({ length: 300 }, (_, index) => ({ at: index * 12, values: valuesAt(index / 5) }))

function grown(valuesAt: (minute: number) => Record<string, number>): string[] {
  const leaks = findLeaks(samplesOf(valuesAt)) ?? []
  expect(leaks.map(({ name }) => name)).toEqual(
    Object.keys(valuesAt(0)).filter((name) => !name.includes('jobs with') && name !== 'accepted jobs'),
  )
  return leaks.filter(({ passed }) => !passed).map(({ name }) => name)
}

describe('a figure', () => {
  it('a figure that grows slowly all the time is a leak, and one that varies is not', () => {
    expect(grown((minute) => ({ 'memory web': 300 + 4 * minute }))).toEqual(['memory web'])
    expect(grown((minute) => ({ 'memory web': 300 + 40 * (minute % 3) }))).toEqual([])
    expect(grown((minute) => ({ 'database connections': 20 + minute / 4 }))).toEqual(['database connections'])
    expect(grown((minute) => ({ volumes: minute > 50 ? 1 : 0 }))).toEqual(['volumes'])
  })

  it('a figure that grows only during the warm-up is none', () => {
    expect(grown((minute) => ({ 'memory web': Math.min(400, 100 + 40 * minute) }))).toEqual([])
  })

  it('may grow with the accepted jobs, if gpuq keeps it with their record', () => {
    const jobs = (minute: number) => ({ 'accepted jobs': 30 * minute })
    expect(grown((minute) => ({ ...jobs(minute), 'rows tasks': 33 * minute }))).toEqual([])
    expect(grown((minute) => ({ ...jobs(minute), 'rows tasks': 30 * minute + minute ** 2 }))).toEqual([
      'rows tasks',
    ])
    expect(grown((minute) => ({ ...jobs(minute), 'rows log_chunks': 3 * minute }))).toEqual([
      'rows log_chunks',
    ])
  })

  it('a figure of stored files may grow with the jobs that have some', () => {
    const kept = (minute: number) => ({ 'jobs with stored files': 100 + minute })
    expect(grown((minute) => ({ ...kept(minute), 'files results': 100 + minute }))).toEqual([])
    expect(grown((minute) => ({ ...kept(minute), 'files results': 100 + 5 * minute }))).toEqual([
      'files results',
    ])
    expect(grown((minute) => ({ ...kept(minute), 'files blobs': 10 + 5 * minute }))).toEqual(['files blobs'])
  })
})

it('a short run is not compared', () => {
  expect(findLeaks(samplesOf(() => ({ volumes: 0 })).slice(0, 12))).toBeNull()
})
