import { describe, expect, it, vi } from 'vitest'
import { TerminalFeed, TerminalFeeds } from './terminal-feed'

const t = '2026-11-22T10:00:00.000Z'

/** All text of a feed from its start, read piece by piece. */
function readAll(feed: TerminalFeed): string {
  let text = ''
  for (let piece = feed.read(feed.start); piece !== ''; piece = feed.read(feed.start + text.length))
    text += piece
  return text
}

describe('TerminalFeed', () => {
  it('drops the oldest lines past its limit and keeps positions valid', () => {
    const feed = new TerminalFeed(100)
    const line = '0123456789012345678\n'
    for (let count = 0; count < 12; count++) feed.append(line)
    expect(feed.end).toBe(240)
    expect(feed.end - feed.start).toBeLessThanOrEqual(200)
    expect(feed.end - feed.start).toBeGreaterThanOrEqual(80)
    expect(readAll(feed).startsWith('0')).toBe(true)
    expect(feed.read(feed.end - line.length)).toBe(line)
  })

  it('drops text without line ends too', () => {
    const feed = new TerminalFeed(100)
    feed.append('x'.repeat(1000))
    expect(readAll(feed)).toBe('x'.repeat(100))
  })

  it('returns long text in pieces', () => {
    const feed = new TerminalFeed()
    feed.append('y'.repeat(200_000))
    expect(feed.read(0).length).toBeLessThan(100_000)
    expect(readAll(feed)).toHaveLength(200_000)
  })

  it('reports changes until the listener unsubscribes', () => {
    const feed = new TerminalFeed()
    const listener = vi.fn()
    const unsubscribe = feed.subscribe(listener)
    feed.append('a')
    feed.clear()
    unsubscribe()
    feed.append('b')
    expect(listener).toHaveBeenCalledTimes(2)
    expect(readAll(feed)).toBe('b')
  })
})

describe('TerminalFeeds', () => {
  it('restores what each task printed', () => {
    const feeds = new TerminalFeeds()
    feeds.append([
      { type: 'stdout', t, text: 'first\r' },
      { type: 'stdout', t, text: 'name? ', eol: false },
      { type: 'stdout', t, text: 'other\r', rank: 1 },
      { type: 'stderr', t, text: 'gpuq: a\nb' },
      { type: 'metric', t, gpus: [] },
      { type: 'truncated', t, limit_bytes: 1024 ** 2, dropped_bytes: 5 },
    ])
    expect(readAll(feeds.of(0))).toBe(
      'first\r\nname? gpuq: a\r\nb\r\n\r\nThe output limit is 1.0 MiB. gpuq discarded the next 5 bytes.\r\n',
    )
    expect(readAll(feeds.of(1))).toBe('other\r\n')
  })

  it('separates earlier output from live output, and starts again', () => {
    const feeds = new TerminalFeeds()
    const first = feeds.of(0)
    feeds.append([{ type: 'stdout', t, text: 'old', eol: false }])
    expect(first.liveFrom).toBeNull()
    feeds.markLive()
    feeds.append([{ type: 'stdout', t, text: 'new', eol: false }])
    feeds.markLive()
    expect(first.liveFrom).toBe(3)
    expect(feeds.of(1).liveFrom).toBe(0)
    const { version } = first
    feeds.clear()
    expect([first.liveFrom, first.end, first.version]).toEqual([null, 0, version + 1])
  })
})
