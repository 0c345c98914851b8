import { describe, expect, it } from 'vitest'
import { parseConfigAs } from '../contract/config/config'
import { GpuqError } from '../contract/errors'
import { groupConfigSchema } from './contract'
import { configOfMember, hintsOf } from './contract-member-config'
import { additionalMembers, expandMembers } from './contract-members'

/** The config of a group, with the keys that each job needs. */
function parse(yaml: string) {
  const parsed = parseConfigAs(
    groupConfigSchema,
    `competition_id: c\nproject_id: p\nexpected_time: 10\n${yaml}`,
  )
  if (!parsed.ok)
    throw new GpuqError(
      'invalid_fields',
      parsed.errors.map(({ path, message }) => `${path}: ${message}`).join('\n'),
    )
  return parsed.config
}
const expand = (yaml: string) => expandMembers(parse(yaml))
const parametersOf = (yaml: string) => expand(yaml).members.map(({ parameters }) => parameters)

describe('the members of a matrix', () => {
  it('a grid has each combination, in the order of the config, the last parameter changing first', () => {
    expect(parametersOf('matrix: {lr: [0.1, 0.01], opt: [adam, sgd]}')).toEqual([
      { lr: 0.1, opt: 'adam' },
      { lr: 0.1, opt: 'sgd' },
      { lr: 0.01, opt: 'adam' },
      { lr: 0.01, opt: 'sgd' },
    ])
  })

  it.each([
    ['{from: 64, to: 512, scale: log2}', [64, 128, 256, 512]],
    ['{from: 0.001, to: 1, scale: log10}', [0.001, 0.01, 0.1, 1]],
    ['{from: 1, to: 5, step: 2}', [1, 3, 5]],
    ['{from: 0.1, to: 0.5, step: 0.1}', [0.1, 0.2, 0.3, 0.4, 0.5]],
    ['{from: -0.3, to: -0.1, step: 0.1}', [-0.3, -0.2, -0.1]],
    ['{from: 3, to: 3}', [3]],
    ['{from: 1, to: 4}', [1, 2, 3, 4]],
    ['[true, false]', [true, false]],
  ])('the range %s has the values %j', (range, values) => {
    expect(parametersOf(`matrix: {x: ${range}}`)).toEqual(values.map((x) => ({ x })))
  })

  it('repeats run each combination several times and count them', () => {
    const { members } = expand('matrix: {x: [1, 2]}\nrepeat: 2')
    expect(members.map(({ index, parameters, repeat }) => [index, parameters.x, repeat])).toEqual([
      [0, 1, 0],
      [1, 1, 1],
      [2, 2, 0],
      [3, 2, 1],
    ])
  })

  it('a random search has the same members for the same seed, others for another, and all differ', () => {
    const search = (seed: number) =>
      parametersOf(
        `matrix: {lr: {log_uniform: [0.0001, 0.1]}, drop: {uniform: [0, 0.5]}, opt: [a, b]}\nsearch: random\nsamples: 200\nseed: ${seed}`,
      )
    const first = search(1)
    expect(search(1)).toEqual(first)
    expect(search(2)).not.toEqual(first)
    expect(new Set(first.map((one) => JSON.stringify(one))).size).toBe(200)
    for (const { lr, drop } of first) {
      expect(Number(lr)).toBeGreaterThanOrEqual(0.0001)
      expect(Number(lr)).toBeLessThanOrEqual(0.1)
      expect(Number(drop)).toBeLessThanOrEqual(0.5)
    }
    // As many below the geometric mean as above it.
    const below = first.filter(({ lr }) => Number(lr) < Math.sqrt(0.0001 * 0.1)).length
    expect(below).toBeGreaterThan(60)
    expect(below).toBeLessThan(140)
  })

  it('a random search of a finite matrix draws each combination at most once', () => {
    expect(parametersOf('matrix: {x: [1, 2], y: [1, 2]}\nsearch: random\nsamples: 4').length).toBe(4)
  })
})

describe('the members of an array', () => {
  it.each([
    ['"0-3"', [0, 1, 2, 3]],
    ['"0-9:3"', [0, 3, 6, 9]],
    ['"1,4,7"', [1, 4, 7]],
    ['"5,1-3"', [1, 2, 3, 5]],
    ['7', [7]],
  ])('the array %s has the numbers %j', (array, numbers) => {
    expect(parametersOf(`array: ${array}`)).toEqual(numbers.map((index) => ({ index })))
  })

  it('a number after % is the number of members at once', () => {
    expect(expand('array: "0-99%8"').parallel).toBe(8)
  })
})

describe('a config that makes no group is refused with its key', () => {
  it.each([
    ['', /matrix: is missing: add a matrix/],
    ['matrix: {}', /matrix: .*no parameters/],
    ['matrix: {x: []}', /matrix\.x.*no values/],
    ['matrix: {x: 3}', /matrix\.x: must be a list/],
    ['matrix: {x: [1, 1]}', /matrix\.x: has the value 1 twice/],
    ['matrix: {x: [1, "1"]}', /matrix\.x: has the value 1 twice/],
    ['matrix: {"a-b": [1]}', /the name of a parameter/],
    ['matrix: {"1a": [1]}', /the name of a parameter/],
    ['matrix: {index: [1]}', /this name is reserved/],
    ['matrix: {lr: [1], LR: [2]}', /GPUQ_PARAM_LR/],
    ['matrix: {x: {from: 5, to: 1}}', /from: is more than `to`/],
    ['matrix: {x: {from: 0, to: 1, scale: log2}}', /must be more than 0/],
    ['matrix: {x: {from: 1, to: 2, step: 0}}', /step: must be more than 0/],
    ['matrix: {x: {from: 1, to: 2, step: -1}}', /must be more than 0/],
    ['matrix: {x: {from: 0, to: 1000000000000}}', /to: makes more than 10000 values/],
    ['matrix: {x: {uniform: [0, 1]}}', /has no list of values: use search: random/],
    ['matrix: {x: {uniform: [1, 0]}}\nsearch: random\nsamples: 2', /first number must be less/],
    ['matrix: {x: {log_uniform: [0, 1]}}\nsearch: random\nsamples: 2', /must be more than 0/],
    ['matrix: {x: {uniform: [0, .nan]}}\nsearch: random\nsamples: 2', /matrix\.x/],
    ['matrix: {x: [.inf]}', /matrix\.x/],
    ['matrix: {x: [[1]]}', /must be a number, a text, true or false/],
    ['matrix: {x: [1]}\nsearch: random', /samples: is missing/],
    ['matrix: {x: [1]}\nsamples: 5', /samples: is only for search: random/],
    ['matrix: {x: [1, 2]}\nsearch: random\nsamples: 3', /samples: is more than the 2 different/],
    ['matrix: {x: [1]}\narray: "0-3"', /remove one of the two/],
    ['matrix: {x: [1]}\nparallel: 0', /parallel/],
    ['matrix: {x: [1]}\nrepeat: 0', /repeat/],
    ['matrix: {x: [1]}\nrun_name: a', /run_name: is for one job/],
    [
      'matrix: {x: [1]}\nobjective: {metric: a, mode: min}\nstop: {rule: median, resume: true}',
      /stop: has resume, which is only for rule: asha/,
    ],
    ['matrix: {x: [1]}\nobjective: {metric: loss, mode: least}', /objective\.mode/],
    ['matrix: {x: [1]}\nmatirx: {x: [1]}', /did you mean `matrix`/],
    ['array: "3-1"', /first number is larger/],
    ['array: "0-3:0"', /step 0/],
    ['array: "1,1"', /number 1 twice/],
    ['array: "a"', /no number and no range/],
    ['array: "0-99%0"', /must be from 1/],
    ['array: "0-999999999"', /makes 1,000,000,000 members/],
    ['array: "0-99%8"\nparallel: 4', /is also in array/],
  ])('%s', (yaml, words) => {
    expect(() => expand(yaml)).toThrow(words)
  })

  it.each([
    [
      'an interval with few numbers',
      'matrix: {x: {uniform: [1000, 1001]}}\nsearch: random\nsamples: 200',
      /samples: is more than the different/,
    ],
    [
      'numbers that a step does not change',
      'matrix: {x: {from: 1e15, to: 1.000000000000005e15, step: 0.01}}',
      /twice/,
    ],
    [
      'many long ranges',
      `matrix: {${Array.from({ length: 32 }, (_, at) => `p${at}: {from: 1, to: 10000}`).join(', ')}}`,
      /matrix: makes/,
    ],
  ])('%s end in a refusal, not in endless work', (_, yaml, words) => {
    expect(() => expand(yaml)).toThrow(words)
  })

  it('one number far from zero is one member', () => {
    expect(parametersOf('matrix: {x: {from: 1e300, to: 1e300}}')).toEqual([{ x: 1e300 }])
    expect(parametersOf('matrix: {x: {from: 1000000000000000, to: 1000000000000005}}')).toHaveLength(6)
  })

  it('a matrix of 10^12 points is refused before it is expanded', () => {
    const thousand = '{from: 1, to: 1000}'
    const matrix = ['a', 'b', 'c', 'd'].map((name) => `${name}: ${thousand}`).join(', ')
    expect(() => expand(`matrix: {${matrix}}`)).toThrow(/matrix: makes 1,000,000,000,000 members/)
    expect(() => expand(`matrix: {a: ${thousand}}\nrepeat: 100`)).toThrow(/repeat: makes 100,000 members/)
  })
})

describe('the config of a member', () => {
  const config = {
    args: ['--lr={lr}', '{typo}', '{lr}{lr}'],
    command: undefined,
    env: { SEED: '1' },
    name: 'base',
  }
  const member = { index: 3, parameters: { lr: 0.1 }, repeat: 2, repeats: 5 }

  it('values replace the names of parameters in arguments, and other braces stay', () => {
    expect(configOfMember(config, member)).toEqual({
      args: ['--lr=0.1', '{typo}', '0.10.1'],
      env: { SEED: '1', GPUQ_PARAM_LR: '0.1', GPUQ_PARAMS: '{"lr":0.1}', GPUQ_REPEAT: '2' },
      name: 'base lr=0.1 repeat=2',
    })
  })

  it('a value is one word of the command, whatever it contains', () => {
    const text = `a'b; rm -rf / "$HOME" \n{x}`
    const { command } = configOfMember(
      { args: [], command: 'python t.py --a {a} --b {b} $(id) {none}', env: {} },
      { index: 0, parameters: { a: text, b: 'x/y_1.5' }, repeat: 0, repeats: 1 },
    )
    expect(command).toBe(`python t.py --a 'a'\\''b; rm -rf / "$HOME" \n{x}' --b x/y_1.5 $(id) {none}`)
  })

  it('a member of an array gets its number', () => {
    const { env, name } = configOfMember(
      { args: [], env: {}, name: undefined },
      { index: 0, parameters: { index: 7 }, repeat: 0, repeats: 1 },
    )
    expect(env).toMatchObject({ GPUQ_ARRAY_INDEX: '7', GPUQ_PARAM_INDEX: '7' })
    expect(name).toBe('#0 index=7')
  })

  it('the name of a member is one line of at most 200 characters', () => {
    const { name = '' } = configOfMember(
      { args: [], env: {}, name: 'n' },
      { index: 0, parameters: { a: `x\n${'y'.repeat(500)}` }, repeat: 0, repeats: 1 },
    )
    expect([...name]).toHaveLength(200)
    expect(name).not.toMatch(/\n/)
  })

  it('hints name parameters that nothing uses and names that are no parameters', () => {
    expect(hintsOf({ args: ['{lrr}'] }, [{ parameters: { lr: 1 } }], '')).toEqual([
      'Neither args nor command contains {lr}. The program can read the value from GPUQ_PARAM_LR.',
      '{lrr} names no parameter, so it stays as it is.',
    ])
    expect(hintsOf({ args: ['{lr}'] }, [{ parameters: { lr: 1 } }], '')).toEqual([])
    expect(hintsOf({ args: [] }, [{ parameters: { lr: 1 } }], "os.environ['GPUQ_PARAM_LR']")).toEqual([])
  })
})

describe('additional members', () => {
  const random = {
    search: 'random',
    seed: 7,
    matrix: { lr: { uniform: [0, 1] }, width: [1, 2, 3] },
  }
  const config = (keys: object) =>
    groupConfigSchema.parse({ competition_id: 'c', project_id: 'p', expected_time: 10, ...keys })

  it.each([
    ['more samples', { ...random, samples: 10 }, { ...random, samples: 25 }],
    ['more repeats', { ...random, samples: 10, repeat: 2 }, { ...random, samples: 10, repeat: 5 }],
    ['more of both', { ...random, samples: 10, repeat: 2 }, { ...random, samples: 12, repeat: 3 }],
    ['more repeats of an array', { array: '3-5%2', parallel: 2 }, { array: '3-5%2', parallel: 2, repeat: 4 }],
  ])('with %s they complete the members that the group has', (_, before, after) => {
    const known = expandMembers({ ...config(before), parallel: undefined }).members
    const added = additionalMembers(config(after), { members: known.length, repeat: config(before).repeat })
    const all = [...known, ...added]
    expect(all.map(({ index }) => index)).toEqual(all.map((_one, at) => at))
    const textOf = ({ parameters, repeat }: (typeof all)[number]) => JSON.stringify([parameters, repeat])
    const whole = expandMembers({ ...config(after), parallel: undefined }).members
    expect(all.map(textOf).toSorted()).toEqual(whole.map(textOf).toSorted())
  })

  it('without more samples or repeats there are none', () => {
    const same = config({ ...random, samples: 10, repeat: 2 })
    expect(additionalMembers(same, { members: 20, repeat: 2 })).toEqual([])
  })
})
