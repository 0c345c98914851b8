import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { OutputQueue } from './output-queue'
import { replayTerminal } from './replay-terminal'

const before = Date.parse('2026-01-01T00:00:10Z')
const after = before + 5

/** A log entry with a timestamp relative to the start of listening. */
function entry(line: string, sinceMs: number): string {
  return `${new Date(before + sinceMs).toISOString().replace('Z', '000000Z')} ${line}`
}

async function replay(log: string[], heard: string[]) {
  const source = new PassThrough()
  const output = new OutputQueue(source)
  for (const piece of heard) source.write(piece)
  source.end()
  await new Promise((resolve) => setImmediate(resolve))
  const got = { past: '', live: '' }
  const lines = (async function* () {
    for (const one of log) yield Buffer.from(one)
  })()
  for await (const { bytes, live } of replayTerminal(lines, { output, before, after })) {
    got[live ? 'live' : 'past'] += bytes.toString()
  }
  return got
}

describe('replayTerminal', () => {
  it('returns the log, then what only the program has sent', async () => {
    expect(await replay([entry('one\r\n', -900)], ['>>> ', '1+1\r\n2\r\n>>> '])).toEqual({
      past: 'one\r\n',
      live: '>>> 1+1\r\n2\r\n>>> ',
    })
  })

  it('returns duplicate output once, also for equal lines', async () => {
    const log = [
      entry('tick\r\n', -500),
      entry('tick\r\n', -100),
      entry('tick\r\n', 20),
      entry('tick\r\n', 120),
    ]
    const { past, live } = await replay(log, ['tick\r\n', 'tick\r\n', 'tick\r\n', 'ti'])
    expect(past).toBe('tick\r\n'.repeat(4))
    expect(live).toBe('tick\r\nti')
  })

  it('uses the content to classify a line that ended when it began to listen', async () => {
    const log = [entry('first\r\n', -500), entry('second\r\n', 2)]
    expect(await replay(log, ['nd\r\nthird\r\n'])).toEqual({ past: 'first\r\nsecond\r\n', live: 'third\r\n' })
    expect((await replay(log, ['third\r\n'])).live).toBe('third\r\n')
  })

  it('returns once the part of an unfinished line that is in the log', async () => {
    const piece = 'abcdefgh'.repeat(2048)
    const log = [entry(piece, -50)]
    expect((await replay(log, [`${piece.slice(-5)}ijk`])).live).toBe('ijk')
  })
})
