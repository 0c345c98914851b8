import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutputChunk } from '../runtime'
import { FrameReader } from './output-frames'

type Stream = OutputChunk['stream']

function frame(stream: Stream, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream === 'stdout' ? 1 : 2
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

/** Splits bytes at the given positions, like a connection. */
function cut(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

function read(pieces: Buffer[], options: { fromLog: boolean }) {
  const reader = new FrameReader(options)
  const chunks = pieces.flatMap((piece) => reader.push(piece))
  const of = (stream: Stream) =>
    Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes))
  return { stdout: of('stdout'), stderr: of('stderr'), midFrame: reader.midFrame }
}

const anyFrame = fc.record({
  stream: fc.constantFrom<Stream>('stdout', 'stderr'),
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
})

describe('FrameReader', () => {
  it('returns every byte of each stream in order, for any chunking', () => {
    fc.assert(
      fc.property(fc.array(anyFrame), fc.array(fc.nat()), (frames, places) => {
        const wire = Buffer.concat(frames.map(({ stream, bytes }) => frame(stream, bytes)))
        const found = read(cut(wire, places), { fromLog: false })
        for (const stream of ['stdout', 'stderr'] as const) {
          const sent = frames.filter((sentFrame) => sentFrame.stream === stream).map(({ bytes }) => bytes)
          expect(found[stream].equals(Buffer.concat(sent))).toBe(true)
        }
        expect(found.midFrame).toBe(false)
      }),
    )
  })

  it('detects a cut within a frame, and returns what had arrived', () => {
    const wire = frame('stdout', Buffer.from('hello'))
    for (let length = 1; length < wire.length; length++) {
      const found = read([wire.subarray(0, length)], { fromLog: false })
      expect(found.midFrame).toBe(true)
      expect(found.stdout.toString()).toBe('hello'.slice(0, Math.max(0, length - 8)))
    }
  })

  it('joins adjacent frames of one stream, so that many short lines give few chunks', () => {
    const wire = Buffer.concat(Array.from({ length: 1000 }, (_, n) => frame('stdout', Buffer.from(`${n}\n`))))
    expect(new FrameReader({ fromLog: false }).push(wire)).toHaveLength(1)
  })

  it('skips what a repeated log repeats, wherever the repetition starts and ends', () => {
    const entries = fc.record({
      stream: fc.constantFrom<Stream>('stdout', 'stderr'),
      time: fc.nat(20),
      text: fc.constantFrom('', 'a', 'b\n', 'ccc'),
    })
    const toBytes = (list: { stream: Stream; time: number; text: string }[]) =>
      Buffer.concat(
        list.map(({ stream, time, text }) =>
          frame(stream, Buffer.from(`2026-11-20T23:49:32.${String(time).padStart(9, '0')}Z ${text}`)),
        ),
      )
    fc.assert(
      fc.property(fc.array(entries), fc.nat(), fc.nat(), fc.array(fc.nat()), (list, shown, again, places) => {
        // Each stream is written in time order.
        const log = list.toSorted((a, b) => a.time - b.time)
        const end = shown % (log.length + 1)
        const whole = read([toBytes(log)], { fromLog: true })
        const reader = new FrameReader({ fromLog: true })
        const first = reader.push(toBytes(log.slice(0, end)))
        reader.restartLog()
        // From the first entry of a timestamp.
        const from = log.findIndex(({ time }) => time === log[again % (end + 1)]?.time)
        const rest = cut(toBytes(log.slice(from === -1 ? 0 : from)), places).flatMap((piece) =>
          reader.push(piece),
        )
        for (const stream of ['stdout', 'stderr'] as const) {
          const found = [...first, ...rest].filter((chunk) => chunk.stream === stream)
          expect(Buffer.concat(found.map(({ bytes }) => bytes)).equals(whole[stream])).toBe(true)
        }
        expect(reader.midFrame).toBe(false)
      }),
    )
  })

  it("restores the newlines that the engine's log lost, and adds no others", () => {
    // Like Docker 20.10: lines are split every 16 KiB with one timestamp, without a newline after the last piece.
    const logged = (lines: string[], last: string) => {
      const stamp = (number: number) => `2026-11-20T23:49:32.${String(number).padStart(9, '0')}Z `
      const entries = [...lines.map((line) => `${line}\n`), last].flatMap((line, number) => {
        if (line.length <= 16_384) return line === '' ? [] : [stamp(number) + line]
        const text = line.endsWith('\n') ? line.slice(0, -1) : line
        const pieces: string[] = text.match(/[\s\S]{1,16384}/g) ?? []
        if (line.endsWith('\n') && text.length % 16_384 === 0) pieces.push('')
        return pieces.map((piece) => stamp(number) + piece)
      })
      return Buffer.concat(entries.map((entry) => frame('stdout', Buffer.from(entry))))
    }
    const lengths = fc.oneof(fc.nat(5), fc.constantFrom(16_383, 16_384, 16_385, 32_768, 40_000))
    fc.assert(
      fc.property(
        fc.array(lengths, { maxLength: 5 }),
        fc.nat(5),
        fc.array(fc.nat(), { maxLength: 5 }),
        (sizes, rest, places) => {
          const lines = sizes.map((size) => 'x'.repeat(size))
          const last = 'y'.repeat(rest)
          const wire = logged([...lines, 'whole'], last)
          const found = read(cut(wire, places), { fromLog: true })
          expect(found.stdout.toString()).toBe([...lines, 'whole', last].join('\n'))
        },
      ),
    )
  })
})
