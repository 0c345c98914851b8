import { describe, expect, it } from 'vitest'
import { TerminalState, withoutQueries } from './terminal-state'

function restored(...pieces: string[]): string {
  const state = new TerminalState()
  for (const piece of pieces) state.watch(piece)
  return state.restore()
}

describe('TerminalState', () => {
  it('resets what a program has set, the alternate screen first', () => {
    expect(restored('\u001b[?25l\u001b[?1049h\u001b[?1;2004h\u001b=text')).toBe(
      '\u001b[?1049l\u001b[?25h\u001b[?1l\u001b[?2004l\u001b>\u001b[0m',
    )
  })

  it('ignores modes that the program has reset or never set', () => {
    expect(restored('\u001b[?1049h\u001b[?25l', 'x\u001b[?25h\u001b[?1049l\u001b=\u001b>')).toBe('\u001b[0m')
    expect(restored('\u001b[31mred\u001b[?')).toBe('\u001b[0m')
  })

  it('recognizes a sequence that arrives in pieces', () => {
    expect(restored('text\u001b', '[?10', '49h')).toBe('\u001b[?1049l\u001b[0m')
  })
})

it('removes only terminal queries from replayed output', () => {
  const asked = [
    '\u001b[6n',
    '\u001b[c',
    '\u001b[>0c',
    '\u001b[?2026$p',
    '\u001b]11;?\u0007',
    '\u001bP+q544e\u001b\\',
    '\u001b[>q',
    '\u001b[18t',
  ]
  expect(withoutQueries(`a${asked.join('b')}c`)).toBe(`a${'b'.repeat(asked.length - 1)}c`)
  const kept = '\u001b[31mred\u001b[0m\u001b[2J\u001b[?25l\u001b]0;title\u0007\u001b[3;4H\r\n'
  expect(withoutQueries(kept)).toBe(kept)
})
