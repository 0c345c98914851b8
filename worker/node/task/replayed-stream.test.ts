import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReplayedStream } from './replayed-stream'

/** Pushes in pieces of the given length, and returns the new part. */
function pushAll(stream: ReplayedStream, text: string, pieceLength = 3): string {
  let out = ''
  for (let at = 0; at < text.length; at += pieceLength) {
    out += stream.push(Buffer.from(text.slice(at, at + pieceLength)))
  }
  return out
}

describe('a stream that is read again from its first byte', () => {
  it('returns only new output if the log is complete, for any interruption and chunking', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab\n]{0,60}$/),
        fc.array(fc.nat(60), { maxLength: 3 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (all, cuts, memory, pieceLength) => {
          const stream = new ReplayedStream(memory)
          let out = ''
          for (const cut of cuts) {
            out += pushAll(stream, all.slice(0, cut), pieceLength)
            stream.restartReplay()
          }
          expect(out + pushAll(stream, all, pieceLength)).toBe(all)
        },
      ),
    )
  })

  it('returns what came after one or more gaps in the log', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'line 1\nline 2\nline ')
    stream.restartReplay()
    expect(pushAll(stream, 'line 1\nline 2\n3\nline 4\n')).toBe('3\nline 4\n')
    stream.restartReplay()
    expect(pushAll(stream, 'line 1\nline 2\n3\nline 4\nline 5\n')).toBe('line 5\n')
  })

  it('detects that whole lines are missing in the log, even if the next line starts like them', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'a 1\na 2\na 3\nprogress 4')
    stream.restartReplay()
    expect(pushAll(stream, 'a 1\na 4\nb\n')).toBe('a 4\nb\n')
  })

  it('returns nothing if nothing came after the lost part', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'line 1\nprompt> ')
    stream.restartReplay()
    expect(pushAll(stream, 'line 1\n')).toBe('')
  })
})
