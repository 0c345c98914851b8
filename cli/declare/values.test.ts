import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { exitCodeOf } from '../job/exit-code'
import { toConfigText } from '../job/upload-config'
import { addMount, addVariable, parseDuration, parseInteger, toGpuRequest, toShellLine } from './values'

describe('durations', () => {
  it.each([
    ['300', 300],
    ['90s', 90],
    ['1.5m', 90],
    ['2h', 7200],
    ['1d', 86_400],
  ])('%s is %d s', (text, seconds) => expect(parseDuration(text)).toBe(seconds))
  it.each(['', '0', '-5', '5w', 'soon'])('refuses "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow('is not a duration')
  })
})

it('rejects values that are not whole numbers', () => {
  expect(parseInteger('-7')).toBe(-7)
  for (const text of ['', 'x', '1.5', 'Infinity']) expect(() => parseInteger(text)).toThrow('number')
})

it('parses variables with any value', () => {
  expect(addVariable('B=x=y', { A: '' })).toEqual({ A: '', B: 'x=y' })
  for (const text of ['B', '=x']) expect(() => addVariable(text)).toThrow('NAME=VALUE')
})

it('parses mounts, one for each path', () => {
  expect(addMount('/models=bert@2', { '/data': 'cifar10' })).toEqual({
    '/data': 'cifar10',
    '/models': 'bert@2',
  })
  for (const text of ['/data', '/data=', '=cifar10', ''])
    expect(() => addMount(text)).toThrow('PATH=SNAPSHOT')
  expect(() => addMount('/data=b', { '/data': 'a' })).toThrow('two snapshots')
})

it('requests a fraction for a number between 0 and 1', () => {
  expect([undefined, 0, 0.5, 1, 4].map(toGpuRequest)).toEqual([
    {},
    { gpu_count: 0 },
    { gpu_fraction: 0.5 },
    { gpu_count: 1 },
    { gpu_count: 4 },
  ])
})

it('quotes several words and keeps a single line', () => {
  expect(toShellLine(['echo $HOME | wc'])).toBe('echo $HOME | wc')
  expect(toShellLine(['python', '-c', "print('a b')", '--lr=0.1'])).toBe(
    `python -c 'print('\\''a b'\\'')' --lr=0.1`,
  )
  expect(toShellLine(['echo', ''])).toBe("echo ''")
})

it('writes only the given options and the required keys', () => {
  expect(parse(toConfigText({}))).toEqual({
    competition_id: 'default',
    project_id: 'default',
    expected_time: 3600,
  })
  const options = { gpus: 0.5, args: '--lr 0.1: x', env: { A: 'no' }, tags: ['a'], max_retries: 0 }
  expect(parse(toConfigText(options))).toMatchObject({
    gpu_fraction: 0.5,
    args: '--lr 0.1: x',
    env: { A: 'no' },
    tags: ['a'],
    max_retries: 0,
  })
})

it.each([
  ['completed', 0, 0],
  ['failed', 3, 3],
  ['failed', 137, 137],
  ['failed', 0, 1],
  ['failed', null, 1],
  ['failed', 256, 1],
  ['cancelled', 143, 130],
  ['running', null, 1],
] as const)('a job that is %s with %s ends with %d', (status, exit_code, code) => {
  expect(exitCodeOf({ status, exit_code })).toBe(code)
})
