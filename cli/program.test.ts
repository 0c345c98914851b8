import { execFileSync } from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { GpuqError } from '@/lib/contract/errors'
import { ProblemError } from '@/lib/http/client/problem'
import { findPlace } from './commands/pause'
import { describeError } from './console/describe-error'
import { completionScript } from './declare/completion'
import { createProgram } from './program'

const refusalOf = async (...words: string[]): Promise<unknown> => {
  const program = createProgram()
  for (const command of [program, ...program.commands]) command.configureOutput({ writeErr: () => {} })
  return program.parseAsync(words, { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  )
}

it('describes every command', () => {
  for (const command of createProgram().commands) {
    expect(command.description(), command.name()).not.toBe('')
    expect(command.helpInformation()).toContain('Usage: gpuq')
  }
})

it.each([
  [['bogus'], 'commander.unknownCommand'],
  [['jobs', '--bogus'], 'commander.unknownOption'],
  [['submit'], 'commander.missingArgument'],
  [['completion', 'tcsh'], 'commander.invalidArgument'],
])('refuses %j', async (words, code) => {
  expect(await refusalOf(...words)).toMatchObject({ code, exitCode: 1 })
})

it('rejects invalid values with a clear message', async () => {
  expect(await refusalOf('submit', 'a.py', '--gpus', 'many')).toMatchObject({
    message: '--gpus: "many" is not a number.',
  })
  expect(await refusalOf('run', '--env', 'A', 'ls')).toMatchObject({ code: 'invalid_request' })
})

it('passes the words after a command to that command', async () => {
  const program = createProgram()
  const run = program.commands.find((command) => command.name() === 'run')
  const seen = vi.fn()
  run?.action((words: string[], options: object) => seen(words, options))
  await program.parseAsync(
    ['run', '--gpus', '2', '-e', 'A=1', '-e', 'B=2', 'python', 'x.py', '--gpus', '4'],
    {
      from: 'user',
    },
  )
  await program.parseAsync(['run', '--', '--odd', '-q'], { from: 'user' })
  expect(seen.mock.calls[0]).toEqual([
    ['python', 'x.py', '--gpus', '4'],
    { gpus: 2, env: { A: '1', B: '2' } },
  ])
  expect(seen.mock.calls[1]?.[0]).toEqual(['--odd', '-q'])
})

it('accepts a negative number as a value', async () => {
  const program = createProgram()
  const priority = program.commands.find((command) => command.name() === 'priority')
  const seen = vi.fn()
  priority?.action((id: string, number: number) => seen(id, number))
  await program.parseAsync(['priority', '0190a3b4', '-3'], { from: 'user' })
  await program.parseAsync(['priority', '0190a3b4', '--', '-4'], { from: 'user' })
  expect(seen.mock.calls).toEqual([
    ['0190a3b4', -3],
    ['0190a3b4', -4],
  ])
})

it('completes commands, options and subcommands in bash', () => {
  const script = completionScript(createProgram(), 'bash')
  const complete = (...words: string[]) =>
    execFileSync('bash', [
      '-c',
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpuq; echo "\${COMPREPLY[*]}"`,
      'x',
      ...words,
    ])
      .toString()
      .trim()
  expect(complete('gpuq', 're')).toBe('release results resume refuse restore')
  expect(complete('gpuq', 'logs', '--f')).toBe('--follow')
  expect(complete('gpuq', 'tokens', 'cr')).toBe('create')
  expect(complete('gpuq', 'tokens', 'create', 'a name', '--sc')).toBe('--scope')
})

it.each(['zsh', 'fish'] as const)('lists every command for %s', (shell) => {
  const program = createProgram()
  const script = completionScript(program, shell)
  for (const command of program.commands) expect(script).toContain(command.name())
  expect(script).toContain('follow')
})

it('finds nodes and GPUs by name and by number', () => {
  const gpu = { gpu_id: 'g', index: 1 }
  const nodes = [
    { node_id: 7, name: 'host:8001', gpus: [gpu] },
    { node_id: 8, name: '7', gpus: [] },
  ] as unknown as Parameters<typeof findPlace>[0]
  expect(findPlace(nodes, 'host:8001')).toEqual({ node: nodes[0], gpu: null })
  expect(findPlace(nodes, 'host:8001:1')).toEqual({ node: nodes[0], gpu })
  expect(findPlace(nodes, '7')).toEqual({ node: nodes[1], gpu: null })
  expect(findPlace(nodes, '8')).toEqual({ node: nodes[1], gpu: null })
  expect(() => findPlace(nodes, 'host:8001:5')).toThrow('has no GPU 5. Available GPUs: 1.')
  const [host] = nodes
  const alone = [
    { ...host, state: 'ready' },
    { ...nodes[1], state: 'lost' },
  ] as typeof nodes
  expect(findPlace(alone, '1').gpu).toEqual(gpu)
  expect(findPlace(alone, '7')).toEqual({ node: alone[1], gpu: null })
  expect(() => findPlace(alone, '0')).toThrow('has no GPU 0. Available GPUs: 1.')
  expect(() => findPlace(nodes, 'other')).toThrow('Node other not found. Available nodes: host:8001, 7.')
})

it('distinguishes a lost GPU from its replacement', () => {
  const [old, present] = [
    { gpu_id: 'old', index: 0, state: 'missing' },
    { gpu_id: 'new', index: 0, state: 'free' },
  ]
  const nodes = [{ node_id: 0, name: 'a', state: 'ready', gpus: [old, present] }] as unknown as Parameters<
    typeof findPlace
  >[0]
  for (const place of ['0', 'a:0', '0:0']) {
    expect(findPlace(nodes, place).gpu).toEqual(present)
    expect(findPlace(nodes, place, true).gpu).toEqual(old)
  }
})

it('distinguishes usage errors from failures, and names the fields to change', () => {
  expect(describeError(new GpuqError('invalid_request', 'Use it so.'), null)).toEqual({
    text: 'gpuq: Use it so.\n',
    exitCode: 2,
  })
  const errors = [{ path: 'expected_time', message: 'must be more than 0', line: 4, column: 16 }]
  const refused = new ProblemError({ status: 422, code: 'invalid_fields', detail: 'Fix it.', errors })
  expect(describeError(refused, 'http://gpuq.test')).toEqual({
    text: 'gpuq: Fix it.\n  expected_time: must be more than 0 (line 4, column 16)\n',
    exitCode: 1,
  })
  const away = new ProblemError({ status: 0, code: 'unreachable', detail: 'x' })
  expect(describeError(away, 'http://gpuq.test').text).toContain('Cannot connect to http://gpuq.test')
})
