import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseCompetition } from './contract-parse'
import { competitionKeys, openPhase } from './testing/competition-keys'

const mistakesOf = (keys: object) => {
  const parsed = parseCompetition(stringify(keys))
  return parsed.ok ? [] : parsed.errors.map(({ path, message }) => `${path}: ${message}`)
}

const withPhase = (phase: object) => ({ ...competitionKeys(), phases: [{ ...openPhase(), ...phase }] })

it('a complete competition.yaml is read with its defaults', () => {
  const parsed = parseCompetition(stringify(competitionKeys()))
  expect(parsed).toMatchObject({
    ok: true,
    config: {
      timezone: 'UTC',
      join: 'open',
      parallel: 16,
      phases: [{ logs: 'none', run: { gpu_count: 1 } }],
    },
  })
})

const withScorer = (scorer: object) => ({
  ...competitionKeys(),
  scorer: { ...competitionKeys().scorer, ...scorer },
})

it('a scoring program: only an autograder needs no command, and a format that is left out stays so', () => {
  expect(parseCompetition(stringify(withScorer({ format: 'gradescope', command: undefined }))).ok).toBe(true)
  expect(mistakesOf(withScorer({ format: 'codabench', command: 'python3 $program/s.py $input' }))).toEqual([])
  const parsed = parseCompetition(stringify(competitionKeys()))
  // A new key would make a version of each scoring program that is stored.
  expect(parsed.ok && Object.keys(parsed.config.scorer)).not.toContain('format')
})

it.each<[string, object, string]>([
  [
    'with an unknown format of scores',
    withScorer({ format: 'kaggle' }),
    'scorer.format: must be one of: scores, codabench, gradescope',
  ],
  [
    'with a scoring program that nothing runs',
    withScorer({ command: undefined }),
    'scorer.command: needs a value',
  ],
  [
    'with a bundle for Codabench that has nothing to run',
    withScorer({ format: 'codabench', command: undefined }),
    'scorer.command: needs a value',
  ],
  [
    'with an ingestion program of Codabench',
    withScorer({ format: 'codabench', command: 'python3 s.py $input $shared' }),
    'scorer.command: has a place of ingestion programs, which gpuq does not run',
  ],
  ['without a scoring program', { ...competitionKeys(), scorer: undefined }, 'scorer: needs a value'],
  [
    'with a phase that ends before its start',
    withPhase({ start: '2027-02-01T00:00', end: '2027-01-01T00:00' }),
    'phases.0.end: is not after the start of the phase',
  ],
  ['with a phase without a quota', withPhase({ quota: undefined }), 'phases.0.quota: needs a value'],
  ['with an empty quota', withPhase({ quota: {} }), 'phases.0.quota: needs per_day or total'],
  [
    'with a freeze outside its phase',
    withPhase({
      start: '2027-01-01',
      end: '2027-02-01',
      board: { rank: 'acc', freeze: '2027-02-01T00:00' },
    }),
    'phases.0.board.freeze: must be between start and end of the phase',
  ],
  [
    'with a wrong time',
    withPhase({ start: 'tomorrow' }),
    'phases.0.start: is no time: write one such as 2027-01-10T09:00',
  ],
  ['with an unknown key', { ...competitionKeys(), titel: 'x' }, 'titel: unknown key: did you mean `title`?'],
  [
    'with an unknown key of a quota',
    withPhase({ quota: { perday: 5, total: 10 } }),
    'phases.0.quota.perday: unknown key: did you mean `per_day`?',
  ],
  [
    'with an unknown key of a rule',
    withPhase({ select: { rule: 'best', by: 'acc', fall: 'acc' } }),
    'phases.0.select.fall: unknown key: did you mean `fallback`?',
  ],
  [
    'with points of a column where less is better',
    {
      ...withPhase({ points: 100, board: { rank: 'loss' } }),
      scorer: { ...competitionKeys().scorer, columns: { acc: {}, loss: { order: 'asc' } } },
    },
    'phases.0.points: takes a part of the column "loss", where less is better',
  ],
  [
    'with late entries after the reveal of private scores',
    withPhase({
      late: { percent_per_day: 10, max_days: 2 },
      board: { rank: 'acc', final: 'priv', reveal: 'end' },
    }),
    'phases.0.board.reveal: shows private scores while late entries are accepted',
  ],
  [
    'with an unknown key of a dataset',
    { ...competitionKeys(), datasets: { train: { path: 'train', role: 'public', hidden: true } } },
    'datasets.train.hidden: unknown key: the keys are path, role',
  ],
  [
    'with an unknown key of a column',
    {
      ...competitionKeys(),
      scorer: { ...competitionKeys().scorer, columns: { acc: { digit: 2 } } },
      phases: [openPhase({ board: { rank: 'acc' } })],
    },
    'scorer.columns.acc.digit: unknown key: did you mean `digits`?',
  ],
  [
    'with an unknown rule',
    withPhase({ select: { rule: 'first' } }),
    'phases.0.select.rule: must be {rule: best, by: COLUMN}',
  ],
  [
    'with a path out of its directory',
    { ...competitionKeys(), pages: ['../secret.md'] },
    'pages.0: holds "..": write a path below the directory',
  ],
  [
    'with a name of a dataset in capitals',
    { ...competitionKeys(), datasets: { Train: { path: 'train', role: 'public' } } },
    'datasets.Train: use lower-case letters',
  ],
  [
    'with a private column that participants would see',
    withPhase({ board: { rank: 'priv' } }),
    'phases.0.board.rank: the column "priv" is private',
  ],
  [
    'with hidden data in a list of labels',
    withPhase({ labels: ['test'] }),
    'phases.0.labels.0: the dataset "test" has the role input: here it must be labels',
  ],
])('a competition.yaml %s is refused by the name of its key', (_, keys, mistake) => {
  expect(mistakesOf(keys).join('\n')).toContain(mistake)
})

it('a competition.yaml names all its mistakes at once, with their places', () => {
  const text = 'slug: a b\ntitle: x\nscorer: {}\nphases: []\n'
  const parsed = parseCompetition(text)
  expect(parsed.ok ? [] : parsed.errors).toMatchObject([
    { path: 'slug', line: 1 },
    { path: 'scorer.program', line: 3 },
    { path: 'scorer.outputs', line: 3 },
    { path: 'scorer.columns', line: 3 },
    { path: 'scorer.command', line: 3 },
    { path: 'phases', message: 'has no phase', line: 4 },
  ])
})

it('a competition.yaml with aliases, or with too much in it, is refused', () => {
  const parsed = (text: string) => parseCompetition(text)
  expect(parsed('a: &a [x]\nb: *a\n')).toMatchObject({
    ok: false,
    errors: [{ path: 'config', message: expect.stringContaining('anchors and aliases') }, { line: 2 }],
  })
  expect(parsed(`a: [${'x, '.repeat(20_000)}]`)).toMatchObject({ ok: false })
  expect(parsed('x'.repeat(257 * 1024))).toMatchObject({
    ok: false,
    errors: [{ message: 'must be at most 256 KiB' }],
  })
})

it('a phase over the night of a clock change has the length that clocks show', () => {
  const parsed = parseCompetition(
    stringify({
      ...competitionKeys(),
      timezone: 'Europe/Berlin',
      phases: [openPhase({ start: '2027-03-28T01:30', end: '2027-03-28T03:00' })],
    }),
  )
  expect(parsed.ok).toBe(true)
  expect(
    mistakesOf({
      ...competitionKeys(),
      timezone: 'Europe/Berlin',
      // Clocks go from 2:00 to 3:00, so both are the same instant.
      phases: [openPhase({ start: '2027-03-28T02:30', end: '2027-03-28T03:30' })],
    }),
  ).toEqual([expect.stringContaining('phases.0.end: is not after the start')])
})
