import { describe, expect, it } from 'vitest'
import { SlidingWindows } from './sliding-windows'

describe('sliding windows', () => {
  const minute = 60_000
  const hits = (windows: SlidingWindows, count: number, now: number) =>
    Array.from({ length: count }, () => windows.hit('ada', 10, now)).filter((wait) => wait === null).length

  it('permit the limit, and say when the next event is permitted', () => {
    const windows = new SlidingWindows(minute, 100)
    expect(hits(windows, 50, 0)).toBe(10)
    const wait = windows.hit('ada', 10, 30_000)
    expect(wait).toBe(36)
    expect(hits(windows, 50, 66_001)).toBe(1)
    expect(windows.hit('bob', 10, 30_000)).toBeNull()
  })

  it('do not permit twice the limit around the end of a window', () => {
    const windows = new SlidingWindows(minute, 100)
    expect(hits(windows, 1, 0)).toBe(1)
    expect(hits(windows, 50, minute - 1)).toBe(9)
    expect(hits(windows, 50, minute + 1)).toBeLessThanOrEqual(1)
  })

  it('are right about the time until the next event', () => {
    const windows = new SlidingWindows(minute, 100)
    let now = 0
    for (let i = 0; i < 200; i++) {
      const wait = windows.hit('ada', 10, now)
      if (wait === null) now += 1000
      else {
        expect(wait).toBeGreaterThan(0)
        now += wait * 1000 + 1
        expect(windows.hit('ada', 10, now)).toBeNull()
      }
    }
    expect(now).toBeGreaterThan(200 * 1000)
  })

  it('forget the entries whose windows began first, and keep a bounded number', () => {
    const windows = new SlidingWindows(minute, 100)
    for (let i = 0; i < 1000; i++) windows.hit(`user ${i}`, 1, i)
    expect(windows.size).toBe(100)
    expect(windows.hit('user 999', 1, 1000)).not.toBeNull()
    expect(windows.hit('user 0', 1, 1000)).toBeNull()
  })
})
