import { describe, expect, it } from 'vitest'
import { parseConfigAs } from '../contract/config/config'
import { groupConfigLimits, groupConfigSchema } from './contract'
import { costOf } from './contract-cost'
import { configOfMember } from './contract-member-config'
import { expandMembers } from './contract-members'
import { parametersOf, withOverrides } from './contract-wave'

const base = 'competition_id: c\nproject_id: p\nexpected_time: 30m\n'
const parse = (text: string) => parseConfigAs(groupConfigSchema, `${base}${text}`, groupConfigLimits)
function read(text: string) {
  const parsed = parse(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.config
}
function errorsOf(text: string) {
  const parsed = parse(text)
  return parsed.ok ? [] : parsed.errors
}

describe('the config of a wave', () => {
  it('arguments and variables of members are texts as they are written, as those of a job', () => {
    const { members } = read(
      'members:\n  - args: [--lr, 0.10]\n    env: {VERSION: 3.10, EMPTY: ""}\n  - {expected_time: 2h}',
    )
    expect(members).toEqual([
      { args: ['--lr', '0.10'], env: { VERSION: '3.10', EMPTY: '' } },
      { expected_time: 7200 },
    ])
  })

  it.each([
    ['members:\n  - {}\n  - gpu_cuont: 2', 'members[1].gpu_cuont', 6, 'did you mean `gpu_count`?'],
    ['members:\n  - gpu_count: 2\n  - gpu_count: x', 'members[1].gpu_count', 6, 'must be a whole number'],
    ['args: [a]\nmembers:\n  - {}\n  - command: x', 'members[1].args', 7, 'are only for solution.py'],
    ['members:\n  - {}\n  -', 'members[1]', 6, 'must be a mapping'],
    ['members:\n  - {priority: 1, priority: 2}', 'members[0].priority', 5, 'appears twice'],
    ['members:\n  - token: gpuq_x', 'members[0].token', 5, 'is for the whole request'],
  ])('a mistake in a member has its place: %j', (text, path, line, message) => {
    expect(errorsOf(text)).toMatchObject([{ path, line, message: expect.stringContaining(message) }])
  })

  it('a wave can be longer than the config of a job, but not without limit', () => {
    const members = (count: number, length: number) =>
      `members:\n${`  - {args: [${'x'.repeat(length)}]}\n`.repeat(count)}`
    expect(read(members(1000, 400)).members).toHaveLength(1000)
    expect(errorsOf(members(1000, 600))).toMatchObject([{ message: 'must be at most 512 KiB' }])
  })
})

describe('a member of a wave', () => {
  const config = {
    ...read('gpu_fraction: 0.5\nenv: {A: "1"}\nargs: ["{index}", "{lr}", "{}"]\nmembers: [{}]'),
    gpusChosen: true,
  }

  it('its variables are added to those of the group, and every other value replaces that of the group', () => {
    expect(withOverrides(config, { env: { B: '2' }, args: ['x'], priority: -1 })).toMatchObject({
      env: { A: '1', B: '2' },
      args: ['x'],
      priority: -1,
      gpu_fraction: 0.5,
    })
  })

  it('whole GPUs replace the part of a GPU of the group, and the other way round', () => {
    expect(withOverrides(config, { gpu_count: 2 })).toMatchObject({ gpu_count: 2, gpu_fraction: undefined })
    expect(withOverrides({ ...config, gpu_count: 4 }, { gpu_fraction: 0.25 })).toMatchObject({
      gpu_count: 1,
      gpu_fraction: 0.25,
    })
    expect(errorsOf('gpu_fraction: 0.5\nmembers: [{gpu_count: 2}]')).toEqual([])
    expect(errorsOf('gpu_count: 2\nmembers: [{gpu_fraction: 0.5}]')).toEqual([])
  })

  it('{index} is its number, and other braces stay', () => {
    const { members } = expandMembers(read('repeat: 2\nmembers: [{}, {name: best}]'))
    const jobs = members.map((member) => configOfMember(config, { ...member, repeats: 2 }))
    expect(jobs.map(({ args, name }) => [name, args[0]])).toEqual([
      ['#0 index=0 repeat=0', '0'],
      ['#1 index=0 repeat=1', '0'],
      ['best repeat=0', '1'],
      ['best repeat=1', '1'],
    ])
    expect(jobs[3]).toMatchObject({
      args: ['1', '{lr}', '{}'],
      env: { GPUQ_ARRAY_INDEX: '1', GPUQ_REPEAT: '1', GPUQ_PARAMS: '{"index":1}' },
    })
  })

  it('its parameters are what it overrides, each as one value', () => {
    const overrides = {
      name: 'a',
      args: ['--lr', '0.1'],
      env: { X: '1' },
      gpu_count: 2,
      entrypoint: undefined,
    }
    expect(parametersOf(overrides)).toEqual({ name: 'a', args: '--lr 0.1', gpu_count: 2, 'env.X': '1' })
    expect(parametersOf({ command: 'x'.repeat(2000) }).command).toHaveLength(1000)
  })

  it('the hours of a wave are the sum of those of its members', () => {
    const group = { ...config, gpu_fraction: undefined, expected_time: 3600 }
    const members = [
      {},
      { overrides: { gpu_count: 4, expected_time: 1800, max_time: 7200 } },
      { overrides: { gpu_count: 0 } },
    ]
    expect(costOf(group, members, 5400)).toEqual({
      gpuHours: { expected: 3, most: 7.5 },
      runHours: { expected: 2.5, most: 4.5 },
    })
  })

  it('members together take at most the budget of their group', () => {
    const group = { ...config, gpu_fraction: undefined, expected_time: 3600, budget_gpu_hours: 0.5 }
    expect(costOf(group, [{}, {}], 5400)).toEqual({
      gpuHours: { expected: 0.5, most: 0.5 },
      runHours: { expected: 2, most: 3 },
    })
  })

  it('attempts for which retry_on asks count to the most that members can take', () => {
    const group = { ...config, gpu_fraction: undefined, expected_time: 3600, max_retries: 2 }
    const most = (retry_on: string[]) => costOf({ ...group, retry_on }, [{}], 5400).gpuHours.most
    expect([most([]), most(['75'])]).toEqual([1.5, 4.5])
  })
})
