import { expect, it } from 'vitest'
import { PlainLogReader } from './plain-log-reader'

function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

const text = (reader: PlainLogReader, bytes: Buffer) =>
  reader.push(bytes).map((chunk) => [chunk.stream, chunk.bytes.toString()])

it('returns what is new when the log is read again, for each stream', () => {
  const reader = new PlainLogReader({ tty: false })
  expect(text(reader, Buffer.concat([frame(1, 'one\n'), frame(2, 'err'), frame(1, 'tw')]))).toEqual([
    ['stdout', 'one\n'],
    ['stderr', 'err'],
    ['stdout', 'tw'],
  ])
  reader.restartLog()
  const again = Buffer.concat([frame(1, 'one\n'), frame(2, 'error\n'), frame(1, 'two'), frame(1, 'end')])
  // In any pieces.
  const pieces = Array.from(again, (_, at) => text(reader, again.subarray(at, at + 1))).flat()
  const joined = (stream: string) =>
    pieces
      .filter(([name]) => name === stream)
      .map(([, bytes]) => bytes)
      .join('')
  expect([joined('stdout'), joined('stderr')]).toEqual(['oend', 'or\n'])
  expect(reader.midFrame).toBe(false)
})

it('reads a terminal without frames', () => {
  const reader = new PlainLogReader({ tty: true })
  expect(text(reader, Buffer.from('say> '))).toEqual([['stdout', 'say> ']])
  reader.restartLog()
  expect(text(reader, Buffer.from('say'))).toEqual([])
  expect(text(reader, Buffer.from('> yes'))).toEqual([['stdout', 'yes']])
})

it('knows output that was cut', () => {
  const reader = new PlainLogReader({ tty: false })
  reader.push(frame(1, 'whole').subarray(0, 10))
  expect(reader.midFrame).toBe(true)
})
