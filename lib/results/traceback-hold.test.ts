import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxHoldMs, type OutputPiece, quietMs, TracebackHold } from './traceback-hold'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 20) + ms)
const traceback =
  'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: wrong\n'
/** The same without its end. */
const begun = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'

const formOf = (pieces: readonly OutputPiece[]) =>
  pieces.filter(({ bytes }) => bytes.length > 0).map(({ stream, bytes }) => `${stream.slice(3)}:${bytes}`)

/** A hold to which `out:text` or `err:text` is given at a time; returns what comes out in the same form. */
function open() {
  const hold = new TracebackHold()
  return {
    hold,
    push: (piece: string, ms = 0) =>
      formOf(hold.push(piece.startsWith('err') ? 'stderr' : 'stdout', Buffer.from(piece.slice(4)), at(ms))),
    release: (ms: number) => formOf(hold.release(at(ms))),
  }
}

describe('a traceback', () => {
  it('comes after what was flushed before it and arrives within or after it', () => {
    const { push, release } = open()
    expect(push(`err:${begun}`)).toEqual([])
    expect(push('out:flushed before\n', 1)).toEqual(['out:flushed before\n'])
    expect(push('err:ValueError: wrong\n', 2)).toEqual([])
    expect(push('out:flushed before, too\n', 3)).toEqual(['out:flushed before, too\n'])
    expect(release(2 + quietMs - 1)).toEqual([])
    expect(release(2 + quietMs)).toEqual([`err:${begun}ValueError: wrong\n`])
  })

  it('waits for its end, but no longer than 200 ms', () => {
    const { hold, push, release } = open()
    push(`err:${begun}`)
    expect(release(maxHoldMs - 1)).toEqual([])
    expect(release(maxHoldMs)).toEqual([`err:${begun}`])
    expect(hold.isHolding).toBe(false)
    expect(push('err:ValueError: wrong\n', maxHoldMs)).toEqual(['err:ValueError: wrong\n'])
  })

  it('waits no longer than 200 ms while its stream prints more', () => {
    const { push, release } = open()
    push(`err:${traceback}`)
    for (let ms = 10; ms < maxHoldMs; ms += 10) {
      expect(push('err:x', ms)).toEqual([])
      expect(release(ms)).toEqual([])
    }
    expect(release(maxHoldMs)).toEqual([`err:${traceback}${'x'.repeat(19)}`])
  })

  it('is there at once when both streams have ended', () => {
    const { hold, push } = open()
    push(`err:${traceback}`)
    expect(formOf(hold.end())).toEqual([`err:${traceback}`])
    expect(hold.end()).toEqual([])
  })

  it('does not delay what its stream printed before it, or the other stream', () => {
    const { push } = open()
    expect(push(`err:a warning\n${traceback}`)).toEqual(['err:a warning\n'])
    expect(push('out:metric\n')).toEqual(['out:metric\n'])
  })

  it('waits with the rest of a chain, and for itself if it begins much later', () => {
    const { push, release } = open()
    push(`err:${traceback}`)
    expect(push(`err:\nDuring handling of the above exception:\n\n${traceback}`, 20)).toEqual([])
    const chain = `${traceback}\nDuring handling of the above exception:\n\n${traceback}`
    expect(push(`err:other\n${begun}`, 150)).toEqual([`err:${chain}`, 'err:other\n'])
    expect(release(maxHoldMs)).toEqual([])
    expect(release(150 + maxHoldMs)).toEqual([`err:${begun}`])
  })

  it('a traceback on stdout comes before one on stderr', () => {
    const late = open()
    late.push(`err:${traceback}`)
    expect(late.push(`out:${traceback}`)).toEqual([`out:${traceback}`])
    const early = open()
    expect(early.push(`out:${traceback}`)).toEqual([])
    expect(early.push(`err:${traceback}`)).toEqual([`out:${traceback}`])
    expect(early.release(quietMs)).toEqual([`err:${traceback}`])
  })

  it('does not wait if it is larger than 1 MiB', () => {
    const { hold, push } = open()
    push(`err:${traceback}`)
    expect(push(`err:${'x'.repeat(1 << 20)}`).join('')).toHaveLength(4 + traceback.length + (1 << 20))
    expect(hold.isHolding).toBe(false)
  })

  it.each([
    'Traceback (most recent call last):',
    '[rank0]: Traceback (most recent call last):',
    '  + Exception Group Traceback (most recent call last):',
    '\r 50%|#####     |Traceback (most recent call last):',
    'Stack (most recent call first):',
    'Current thread 0x00007f0c (most recent call first):',
    'Fatal Python error: Segmentation fault',
    'Exception in thread Thread-1 (work):',
    'Exception ignored in: <function Held.__del__ at 0x7f>',
    'Process ForkPoolWorker-1:2:',
    '  File "a.py", line 3',
  ])('begins with %s, however it is cut', (line) => {
    for (let cut = 0; cut <= line.length; cut++) {
      const { hold, push } = open()
      push(`err:before\n${line.slice(0, cut)}`)
      push(`err:${line.slice(cut)}`)
      push('err:\n  more\n')
      expect(hold.isHolding).toBe(true)
    }
  })

  it.each([
    'Traceback of the light (most recent call last): none',
    'A File "a.py", line 3',
    '  File "a.py", line 3 is long',
    'Process finished:',
    'The Exception in thread 3',
  ])('does not begin with %s', (line) => {
    const { push } = open()
    expect(push(`err:${line}\n`)).toEqual([`err:${line}\n`])
  })
})

describe('output with tracebacks, in any order and cut anywhere', () => {
  const token = fc.constantFrom(
    ...[
      'Traceback (most recent call last):\n',
      'Traceback (most',
      ' recent call last):',
      '  File "a", line 1\n',
      'V: x\n',
    ],
    ...[
      '\n',
      '\r',
      ' ',
      'a line\n',
      'Exception in thread 1:\n',
      'Fatal Python error: ',
      'ž',
      '\0',
      'x'.repeat(300),
    ],
  )
  const stream = fc.constantFrom('stdout' as const, 'stderr' as const)
  const pieces = fc.array(
    fc.record({ stream, tokens: fc.array(token, { maxLength: 5 }), cut: fc.nat(40), wait: fc.nat(120) }),
    { maxLength: 40 },
  )

  it('keeps every byte and the order of each stream, and waits no longer than 200 ms', () => {
    fc.assert(
      fc.property(pieces, (steps) => {
        const hold = new TracebackHold()
        const given = { stdout: '', stderr: '' }
        const taken = { stdout: '', stderr: '' }
        const take = (output: OutputPiece[]) => {
          for (const piece of output) taken[piece.stream] += piece.bytes.toString('latin1')
        }
        const arrived: { ms: number; total: typeof given }[] = []
        let ms = 0
        for (const { stream, tokens, cut, wait } of steps) {
          const bytes = Buffer.from(tokens.join(''))
          for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
            given[stream] += part.toString('latin1')
            take(hold.push(stream, part, at(ms)))
          }
          arrived.push({ ms, total: { ...given } })
          ms += wait
          take(hold.release(at(ms)))
          for (const name of ['stdout', 'stderr'] as const) {
            expect(given[name].startsWith(taken[name])).toBe(true)
            const due = arrived.findLast((arrival) => ms - arrival.ms >= maxHoldMs)?.total[name] ?? ''
            expect(taken[name].length).toBeGreaterThanOrEqual(due.length)
          }
          const complete = taken.stdout === given.stdout && taken.stderr === given.stderr
          expect(hold.isHolding).toBe(!complete)
          // At most one stream waits.
          expect(taken.stdout === given.stdout || taken.stderr === given.stderr).toBe(true)
        }
        take(hold.release(at(ms + maxHoldMs)))
        expect(taken).toEqual(given)
        expect(hold.isHolding).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
