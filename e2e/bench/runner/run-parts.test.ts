import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createResults } from './results'
import { type Outcome, type Part, runParts } from './run-parts'

const measures = (name: string, value: number, estimateS = 1): Part => ({
  name,
  estimateS,
  run: async () => ({ lines: [`${name} is ${value}`], figures: { [name]: value } }),
})
const fails = (name: string, message: string): Part => ({
  name,
  estimateS: 1,
  run: () => Promise.reject(new Error(message)),
})

interface Given {
  limitS?: number
  /** How far the clock goes on with each look at it. */
  clockMs?: number
  signal?: AbortSignal
  save?: (outcome: Outcome) => Promise<void>
}

/** Runs parts without a terminal. Returns what they printed and what was saved after each of them. */
async function run(
  parts: readonly Part[],
  { limitS, clockMs = 0, signal = new AbortController().signal, save }: Given = {},
) {
  const printed: string[] = []
  const saved: Outcome[] = []
  let nowMs = 0
  const outcome = await runParts(parts, {
    options: { rounds: 3, clients: 1, seconds: 1 },
    step: (_title, work) => work(() => {}),
    print: (text) => printed.push(text.trimEnd()),
    save: async (current) => {
      saved.push(structuredClone(current))
      await save?.(current)
    },
    limitS,
    signal,
    now: () => {
      nowMs += clockMs
      return nowMs
    },
  })
  return { outcome, printed, saved }
}

describe('the parts of the bench', () => {
  it('given a part that fails, the others are measured and the reason is one line', async () => {
    const { outcome, printed } = await run([
      measures('first', 1),
      fails('broken', 'no browser\n    at launch (browser.ts:1)'),
      measures('last', 3),
    ])
    expect(outcome.figures).toEqual({ first: 1, last: 3 })
    expect(outcome.failed).toEqual({ broken: 'no browser' })
    expect(printed).toEqual(['first is 1', 'broken failed: no browser', 'last is 3'])
  })

  it('given a figure that is no number, the part has failed', async () => {
    const { outcome } = await run([measures('empty', Number.NaN)])
    expect(outcome).toMatchObject({ figures: {}, failed: { empty: 'nothing was measured for empty' } })
  })

  it('are saved after each of them', async () => {
    const { saved } = await run([measures('first', 1), fails('broken', 'no'), measures('last', 3)])
    expect(saved.map(({ figures }) => Object.keys(figures))).toEqual([
      ['first'],
      ['first'],
      ['first', 'last'],
    ])
  })

  it('given a limit, a part that would pass it is left out, and a shorter one runs', async () => {
    const parts = [measures('first', 1), measures('long', 2, 100), measures('short', 3)]
    const { outcome, printed } = await run(parts, { limitS: 50, clockMs: 10 })
    expect(outcome.figures).toEqual({ first: 1, short: 3 })
    expect(outcome.leftOut).toEqual(['long'])
    expect(printed[1]).toMatch(/^long: left out, .* npm run bench -- --only long$/)
  })

  it('given Ctrl-C, the next part does not start, and the one that it ended is no failure', async () => {
    const stopping = new AbortController()
    const stopped: Part = {
      ...fails('stopped', ''),
      run: () => {
        stopping.abort()
        return Promise.reject(new Error('the system has ended'))
      },
    }
    const parts = [measures('first', 1), stopped, measures('last', 3)]
    const { outcome, saved } = await run(parts, { signal: stopping.signal })
    expect(outcome).toMatchObject({ figures: { first: 1 }, failed: {} })
    expect(saved).toHaveLength(1)
  })
})

it('the file of the results has the figures, the machine and what failed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-bench-results-'))
  const file = join(directory, 'test-results', 'bench.json')
  const about = { date: '2026-11-26', machine: 'two cores', node: '24.0.0', engine: 'Docker 20.10' }
  try {
    const sizes: string[] = []
    const save = createResults(about, file)
    const keep = async (outcome: Outcome) => {
      await save(outcome)
      sizes.push(await readFile(file, 'utf8'))
    }
    await run([measures('first_ratio', 0.5), fails('broken', 'no browser')], { save: keep })
    expect(JSON.parse(sizes[0] ?? '')).toMatchObject({ ...about, first_ratio: 0.5, failed: {} })
    expect(JSON.parse(sizes[1] ?? '')).toMatchObject({
      ...about,
      load: expect.stringMatching(/^load average [\d.]+ to [\d.]+$/),
      first_ratio: 0.5,
      failed: { broken: 'no browser' },
      left_out: [],
    })
  } finally {
    await rm(directory, { recursive: true })
  }
})
