import { expect, it } from 'vitest'
import { commandOf, labelsFor, pathsOf } from './contract-formats'

it.each([
  ['python3 scoring.py /app/input /app/output', 'python3 scoring.py /app/input /app/output'],
  ['python3 $program/score.py $input $output', 'python3 /app/program/score.py /app/input /app/output'],
  [
    "python3 score.py '$hidden' $predictions $tmp/x",
    "python3 score.py '/app/input/ref' /app/input/res /app/output/x",
  ],
  ['python3 score.py $inputs $HOME $$', 'python3 score.py $inputs $HOME $$'],
])('the command %s of a bundle for Codabench: its words become paths', (command, expected) => {
  expect(commandOf({ format: 'codabench', command })).toBe(expected)
})

it('a command of another format that has words of Codabench is not changed', () => {
  for (const format of ['scores', 'gradescope', undefined] as const)
    expect(commandOf({ format, command: 'python3 $program' })).toBe('python3 $program')
})

it('an autograder without a command runs run_autograder', () => {
  expect(commandOf({ format: 'gradescope' })).toContain('exec /autograder/source/run_autograder')
})

it('the only labels of a scoring program for Codabench are in the directory ref, and several below it', () => {
  const scorer = { format: 'codabench' } as const
  expect(labelsFor(scorer, { '/labels/truth': 'truth@2' })).toEqual({ '/app/input/ref': 'truth@2' })
  expect(labelsFor(scorer, { '/labels/a': 'a@1', '/labels/b': 'b@3' })).toEqual({
    '/app/input/ref/a': 'a@1',
    '/app/input/ref/b': 'b@3',
  })
  expect(labelsFor(scorer, {})).toEqual({})
  expect(labelsFor({ format: 'gradescope' }, { '/labels/truth': 'truth@2' })).toEqual({
    '/labels/truth': 'truth@2',
  })
})

it('a scoring program that was stored without a format has the paths of scores', () => {
  expect(pathsOf({})).toEqual(pathsOf({ format: 'scores' }))
})
