import { describe, expect, it } from 'vitest'
import { judgeClock, judgeDisk } from './judge-machine'

const GiB = 1024 ** 3
const disk = { path: '/data', freeBytes: 100 * GiB, freeFiles: 1000, totalFiles: 1000 }
const judged = (changes: Partial<typeof disk>, minimum = 5 * GiB) =>
  judgeDisk({ ...disk, ...changes }, minimum, 'Results wait.')

describe('a disk', () => {
  it('is judged by its free space', () => {
    expect(judged({})).toEqual({ status: 'ok', found: '100 GiB free on the disk of /data.', action: null })
    expect(judged({ freeBytes: 9 * GiB })).toMatchObject({
      status: 'warning',
      action: 'Free disk space there. Results wait.',
    })
    expect(judged({ freeBytes: 4 * GiB })).toMatchObject({
      status: 'failure',
      found: 'Only 4.0 GiB free on the disk of /data. The minimum is 5.0 GiB.',
    })
  })

  it('needs 1 GiB also without a minimum', () => {
    expect(judged({ freeBytes: GiB / 2 }, 0).status).toBe('failure')
  })

  it('needs free inodes, if its file system has a limit', () => {
    expect(judged({ freeFiles: 40 }).status).toBe('warning')
    expect(judged({ freeFiles: 0, totalFiles: 0 }).status).toBe('ok')
  })
})

describe('the clock', () => {
  it.each([
    ['near', 1500, 100, 'ok'],
    ['within the round trip', -5000, 4000, 'ok'],
    ['behind', -5000, 10, 'warning'],
    ['far ahead', 3_600_000, 10, 'failure'],
  ] as const)('is judged by what is certain: %s', (_, offsetMs, uncertaintyMs, status) => {
    expect(judgeClock({ offsetMs, uncertaintyMs }).status).toBe(status)
  })

  it('names the direction', () => {
    expect(judgeClock({ offsetMs: 5000, uncertaintyMs: 10 }).found).toMatch(/^5\.00 s ahead of/)
    expect(judgeClock({ offsetMs: -5000, uncertaintyMs: 10 }).found).toMatch(/^5\.00 s behind/)
  })

  it('is not judged without a database', () => {
    expect(judgeClock(null).status).toBe('not_applicable')
  })
})
