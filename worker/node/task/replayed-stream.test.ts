import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReplayedStream } from './replayed-stream'

/** Pushes in pieces of the given length, and gives what came out as new. */
function pushAll(stream: ReplayedStream, text: string, pieceLength = 3): string {
  let out = ''
  for (let at = 0; at < text.length; at += pieceLength) {
    out += stream.push(Buffer.from(text.slice(at, at + pieceLength)))
  }
  return out
}

describe('a stream that is read again from its first byte', () => {
  it('gives what is new, when the log has it all, wherever it broke off and however it comes in pieces', () => {
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
            stream.startOver()
          }
          expect(out + pushAll(stream, all, pieceLength)).toBe(all)
        },
      ),
    )
  })

  it('gives what came after a hole in the log, and after a second one', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'line 1\nline 2\nline ')
    stream.startOver()
    expect(pushAll(stream, 'line 1\nline 2\n3\nline 4\n')).toBe('3\nline 4\n')
    stream.startOver()
    expect(pushAll(stream, 'line 1\nline 2\n3\nline 4\nline 5\n')).toBe('line 5\n')
  })

  it('sees that whole lines are missing in the log, and is not fooled by a beginning that is like theirs', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'a 1\na 2\na 3\nprogress 4')
    stream.startOver()
    expect(pushAll(stream, 'a 1\na 4\nb\n')).toBe('a 4\nb\n')
  })

  it('gives nothing when nothing came after what the log lost', () => {
    const stream = new ReplayedStream()
    pushAll(stream, 'line 1\nprompt> ')
    stream.startOver()
    expect(pushAll(stream, 'line 1\n')).toBe('')
  })
})
