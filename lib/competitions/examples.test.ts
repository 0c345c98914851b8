import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CompetitionConfig } from './contract-config'
import { parseCompetition } from './contract-parse'
import { readScores } from './scoring/read-scores'

const examples = resolve('docs/examples/competitions')
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpuq-examples-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function readExample(name: string): CompetitionConfig {
  const parsed = parseCompetition(readFileSync(join(examples, name, 'competition.yaml'), 'utf8'))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.config
}

const python = (program: string, env: Readonly<Record<string, string>> = {}) =>
  execFileSync('python3', ['-B', program, root], {
    cwd: join(program, '..'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })

/** Copies datasets to the paths at which a program finds them. */
function mount(example: string, place: string, datasets: Readonly<Record<string, string>>) {
  const { datasets: all } = readExample(example)
  for (const [name, from] of Object.entries(datasets))
    cpSync(join(examples, example, all[from]?.path ?? ''), join(root, place, name), { recursive: true })
}

/** Runs the baseline of an example as an entry, or as a rehearsal. */
function runBaseline(example: string, { isRehearsal = false } = {}) {
  const { datasets, phases } = readExample(example)
  const [phase] = phases
  const mounted = (phase?.inputs ?? []).map((name) => {
    const isHidden = datasets[name]?.role === 'input'
    return [name, isRehearsal && isHidden ? (phase?.rehearse ?? name) : name]
  })
  mount(example, 'data', Object.fromEntries(mounted))
  mkdirSync(join(root, 'results'))
  return python(join(examples, example, 'baseline/solution.py'))
}

/** Runs the scoring program of an example over the outputs of an entry. */
function score(example: string, outputs: Readonly<Record<string, string>>) {
  const { phases, scorer } = readExample(example)
  const [phase] = phases
  const same = (names: readonly string[] = []) => Object.fromEntries(names.map((name) => [name, name]))
  mount(example, 'inputs', same(phase?.inputs))
  mount(example, 'labels', same(phase?.labels))
  mkdirSync(join(root, 'outputs'))
  for (const [path, text] of Object.entries(outputs)) writeFileSync(join(root, 'outputs', path), text)
  const file = join(root, 'scores.json')
  python(join(examples, example, scorer.program, 'score.py'), { GPUQ_SCORES: file })
  return readScores(readFileSync(file), Object.keys(scorer.columns))
}

describe.each(['digits', 'homework'])('the example %s', (example) => {
  it('the file of an example competition is valid, and every path of it exists', () => {
    const { pages, roster, datasets, scorer } = readExample(example)
    const paths = [
      ...pages,
      ...(roster === undefined ? [] : [roster]),
      ...Object.values(datasets).map(({ path }) => path),
      scorer.program,
      'baseline/solution.py',
    ]
    expect(paths.filter((path) => !existsSync(join(examples, example, path)))).toEqual([])
  })

  it('the baseline of an example leaves the declared outputs, as an entry and as a rehearsal', () => {
    const { scorer } = readExample(example)
    for (const isRehearsal of [false, true]) {
      runBaseline(example, { isRehearsal })
      expect(scorer.outputs.filter(({ path }) => !existsSync(join(root, 'results', path)))).toEqual([])
      for (const directory of ['data', 'results']) rmSync(join(root, directory), { recursive: true })
    }
  })
})

it('the scorer of the digits: a baseline is better than guessing, in both columns', () => {
  runBaseline('digits')
  const outputs = { 'pred.csv': readFileSync(join(root, 'results/pred.csv'), 'utf8') }
  const scored = score('digits', outputs)
  expect(scored).toEqual({ scores: { acc: expect.any(Number), final_acc: expect.any(Number) } })
  const { acc, final_acc } = 'scores' in scored ? scored.scores : {}
  expect(Math.min(acc ?? 0, final_acc ?? 0)).toBeGreaterThan(0.4)
  expect(Math.max(acc ?? 1, final_acc ?? 1)).toBeLessThan(0.9)
})

it('the scorer of the digits: the labels themselves are all right', () => {
  const labels = readFileSync(join(examples, 'digits/data/truth/truth.csv'), 'utf8')
  const answers = labels.replaceAll(/,(public|private|split)$/gm, '')
  expect(score('digits', { 'pred.csv': answers })).toEqual({ scores: { acc: 1, final_acc: 1 } })
})

it.each([
  ['empty', ''],
  ['no CSV', '"\0\n\uffff,"'],
  ['two answers for each picture', Array.from({ length: 200 }, (_, n) => `p${220 + (n % 100)},1`).join('\n')],
])('the scorer of the digits: a file that is %s has the score 0', (_, text) => {
  expect(score('digits', { 'pred.csv': text })).toEqual({ scores: { acc: 0, final_acc: 0 } })
})

it('the scorer of the homework: a program that takes the fewest stops has a part of the points', () => {
  runBaseline('homework')
  const outputs = { 'answers.json': readFileSync(join(root, 'results/answers.json'), 'utf8') }
  expect(score('homework', outputs)).toEqual({ scores: { points: 40, tests: 4 } })
})

it.each([
  ['empty', ''],
  ['a list', '[]'],
  ['an object of other values', '{"direct": [[], {}], "detour": 1, "circle": {"a": 1}, "large": []}'],
  ['nested without end', '['.repeat(100_000)],
])('the scorer of the homework: a file that is %s has no points', (_, text) => {
  expect(score('homework', { 'answers.json': text })).toEqual({ scores: { points: 0, tests: 0 } })
})
