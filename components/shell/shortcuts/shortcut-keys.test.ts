import { describe, expect, it } from 'vitest'
import { describeKey, keyOf, matchKeys, shortcutText } from './shortcut-keys'

const shortcuts = [
  { keys: ['g', 'j'], label: 'Jobs' },
  { keys: ['g', 't'], label: 'Tokens' },
  { keys: ['n'], label: 'New job' },
]

/** The labels that typing these keys opens, in order. */
function open(...keys: string[]): string[] {
  let pending: readonly string[] = []
  return keys.flatMap((key) => {
    const match = matchKeys(pending, key, shortcuts)
    pending = match.pending
    return match.shortcut ? [match.shortcut.label] : []
  })
}

describe('matchKeys', () => {
  it.each([
    [['n'], ['New job']],
    [['g', 'j'], ['Jobs']],
    [
      ['g', 't', 'g', 'j'],
      ['Tokens', 'Jobs'],
    ],
    [['j'], []],
    [['g', 'x', 'j'], []],
    [['g', 'n'], ['New job']],
    [['g', 'g', 'j'], ['Jobs']],
    [
      ['n', 'n'],
      ['New job', 'New job'],
    ],
  ])('%j opens %j', (keys, labels) => {
    expect(open(...keys)).toEqual(labels)
  })
})

it.each([
  [{ key: 'n' }, 'n', ['n'], 'N'],
  [{ key: 'N', shiftKey: true }, 'N', ['Shift', 'N'], 'Shift+N'],
  [{ key: '?', shiftKey: true }, '?', ['?'], '?'],
  [{ key: 'a', metaKey: true }, 'Control+a', ['Ctrl', 'a'], 'Ctrl+A'],
  [{ key: 'C', ctrlKey: true, shiftKey: true }, 'Control+C', ['Ctrl', 'Shift', 'C'], 'Ctrl+Shift+C'],
  [{ key: 'Enter', shiftKey: true }, 'Shift+Enter', ['Shift', 'Enter'], 'Shift+Enter'],
])('names the keys of %j', (pressed, name, keys, text) => {
  expect(keyOf({ ctrlKey: false, metaKey: false, shiftKey: false, ...pressed })).toBe(name)
  expect(describeKey(name)).toEqual(keys)
  expect(shortcutText({ keys: [name], label: '' })).toBe(text)
})
