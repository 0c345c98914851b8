import type { Terminal } from '@xterm/xterm'
import { expect, it, vi } from 'vitest'
import { TerminalFeed } from '../jobs/detail/terminal-feed'
import { playFeed } from './play-feed'

/** A terminal that processes a piece when the test says so. */
function fakeTerminal() {
  const processed: string[] = []
  let next: (() => void) | null = null
  const terminal = {
    write: (text: string, done: () => void) => {
      next = () => {
        processed.push(text)
        done()
      }
    },
    reset: () => processed.push('<reset>'),
  }
  /** Processes everything that was written. */
  const process = () => {
    while (next) {
      const now: () => void = next
      next = null
      now()
    }
  }
  return { terminal: terminal as unknown as Terminal, processed, process }
}

it('prints earlier output before it reports that the terminal is live', () => {
  const feed = new TerminalFeed()
  feed.append('old ')
  const { terminal, processed, process } = fakeTerminal()
  const onLive = vi.fn()
  playFeed(terminal, feed, onLive)
  feed.append('older ')
  feed.markLive()
  feed.append('new')
  expect(onLive).not.toHaveBeenCalled()
  process()
  expect(processed).toEqual(['old ', 'older ', 'new'])
  expect(onLive.mock.calls).toEqual([[true]])
})

it('regards text from before the terminal was opened as earlier output', () => {
  const feed = new TerminalFeed()
  feed.markLive()
  feed.append('old')
  const { terminal, process } = fakeTerminal()
  const onLive = vi.fn()
  playFeed(terminal, feed, onLive)
  expect(onLive).not.toHaveBeenCalled()
  process()
  expect(onLive.mock.calls).toEqual([[true]])
})

it('writes one piece at a time, and skips what the feed has dropped meanwhile', () => {
  const feed = new TerminalFeed(10)
  const { terminal, processed, process } = fakeTerminal()
  playFeed(terminal, feed, () => {})
  feed.append('first\n')
  for (let count = 0; count < 100; count++) feed.append(`line ${count}\n`)
  process()
  expect(processed[0]).toBe('first\n')
  expect(processed.join('')).toMatch(/line 98\nline 99\n$/)
  expect(processed.join('').length).toBeLessThan(60)
})

it('resets the terminal for a new attempt, and stops', () => {
  const feed = new TerminalFeed()
  const { terminal, processed, process } = fakeTerminal()
  const onLive = vi.fn()
  const stop = playFeed(terminal, feed, onLive)
  feed.markLive()
  feed.append('one')
  process()
  feed.clear()
  feed.markLive()
  feed.append('two')
  process()
  expect(processed).toEqual(['one', '<reset>', 'two'])
  expect(onLive.mock.calls).toEqual([[true], [false], [true]])
  stop()
  feed.append('three')
  process()
  expect(processed).toHaveLength(3)
})
