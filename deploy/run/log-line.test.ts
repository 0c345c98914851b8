import { expect, it } from 'vitest'
import { formatLogLine } from './log-line'

const entry = (level: number) =>
  JSON.stringify({ level, time: '2026-11-22T16:00:00.000Z', node: 'a', gpus: 2, msg: 'serving' })

it.each([
  ['an entry', entry(30), 'serving node="a" gpus=2'],
  ['a warning', entry(40), '! serving node="a" gpus=2'],
  ['other text', ' GET / 200 in 3ms', ' GET / 200 in 3ms'],
  ['JSON that is no entry', '{"a":1}', '{"a":1}'],
  ['broken JSON', '{"level":30', '{"level":30'],
  ['a control sequence', '\u001b[?25h', ''],
])('formats %s', (_, line, text) => expect(formatLogLine(line)).toBe(text))
