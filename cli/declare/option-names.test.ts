import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { ProblemError } from '@/lib/http/client/problem'
import { describeError } from '../console/describe-error'
import { nameOptions } from '../job/option-errors'
import { createProgram } from '../program'
import { findOption } from './option-names'

const program = createProgram()

function commandOf(words: string): Command {
  return words.split(' ').reduce<Command>((command, word) => {
    const found = command.commands.find((one) => one.name() === word)
    if (!found) throw new Error(`There is no command ${word}.`)
    return found
  }, program)
}

/** What gpuq prints if the server refuses a field of the request of a command. */
function printedFor(words: string, path: string): string {
  const detail = `${path}: is wrong`
  const errors = [{ path, message: 'is wrong' }]
  const error = new ProblemError({ status: 422, code: 'invalid_fields', detail, errors })
  return describeError(
    nameOptions(error, (field) => findOption(commandOf(words), field)),
    null,
  ).text
}

it.each([
  ['tokens agent', 'limits.gpu_hours', '--gpu-hours'],
  ['tokens agent', 'limits.gpu_hours_per_day', '--gpu-hours-per-day'],
  ['tokens agent', 'limits.max_gpus', '--max-gpus'],
  ['tokens agent', 'limits.projects', '--project'],
  ['tokens agent', 'limits.environments.0', '--environment'],
  ['tokens agent', 'limits.max_priority', '--max-priority'],
  ['tokens agent', 'limits.max_time', '--max-time'],
  ['tokens agent', 'limits.ask_above_gpu_hours', '--ask-above'],
  ['tokens agent', 'expires_in_days', '--expires'],
  ['tokens create', 'expires_in_days', '--expires'],
  ['tokens create', 'scopes.0', '--scope'],
  ['tokens create', 'name', 'NAME'],
  ['tokens batch', 'expires_in_days', '--expires'],
  ['group', 'samples', '--samples'],
  ['group', 'repeat', '--repeat'],
  ['jobs', 'sort', '--sort'],
  ['jobs', 'competition_id', '--competition'],
  ['experiments', 'project_id', '--project'],
  ['priority', 'priority', 'NUMBER'],
  ['pause', 'reason', '--reason'],
  ['buckets add', 'endpoint', '--endpoint'],
])('an error of gpuq %s about the field %s names %s, once', (words, path, name) => {
  expect(printedFor(words, path)).toBe(`gpuq: ${name}: is wrong\n`)
})

it('an error about a key of a config file keeps the key and the line', () => {
  const errors = [{ path: 'name', message: 'is too long', line: 4 }]
  const detail = 'config_file, line 4: name: is too long'
  const error = new ProblemError({ status: 422, code: 'invalid_fields', detail, errors })
  expect(nameOptions(error, (field) => findOption(commandOf('submit'), field))).toBe(error)
})

it.each([
  [['tokens', 'create', 'x', '--expires', 'soon'], '--expires: "soon" is not a number.'],
  [['sweep', '--parallel', '0', 'true'], '--parallel: "0" must be 1 or more.'],
  [['run', '--env', 'A', 'ls'], '--env: "A" is not a variable. Write NAME=VALUE.'],
  [['storage', '--limit', '0'], '--limit: "0" must be 1 or more.'],
  [['priority', '0190a3b4', 'high'], 'NUMBER: "high" is not a number.'],
])('an error about the value in gpuq %j names its option or argument', async (words, message) => {
  await expect(createProgram().parseAsync(words, { from: 'user' })).rejects.toThrow(message)
})
