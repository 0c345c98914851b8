import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configForRecord, configToYaml, parseConfig } from './config'
import { isReservedVariable } from './reserved-variables'

const base = 'competition_id: "c"\nproject_id: p\nexpected_time: 60\n'

function configOf(text: string) {
  const result = parseConfig(text)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return result.config
}

describe('the record of a config', () => {
  it('holds neither token nor user, nor what was left out', () => {
    const record = configForRecord(configOf(`${base}user_id: ada\ntoken: hush\nname: x\n`))
    expect(record).toEqual({
      competition_id: 'c',
      project_id: 'p',
      expected_time: 60,
      name: 'x',
      gpu_count: 1,
      instance_count: 1,
      priority: 0,
      max_retries: 2,
      retry_on: [],
      mounts: {},
      env: {},
      args: [],
      depends_on: [],
      tags: [],
      cuda_argument: false,
      fresh_nodes: false,
      tty: false,
      pool: 'on-demand',
    })
  })

  it('becomes a short config again', () => {
    expect(configToYaml(configForRecord(configOf(`${base}args: a b\nenv: {V: 3.10}\ngpu_count: 0\n`)))).toBe(
      'competition_id: "c"\nproject_id: "p"\nexpected_time: 60\ngpu_count: 0\nenv:\n  V: "3.10"\nargs:\n  - "a"\n  - "b"\n',
    )
  })

  it('has no command, which is kept beside it, and gets it back', () => {
    const config = configOf(`${base}command: "cd /job; python train.py --lr '0.1'"\n`)
    const record = configForRecord(config)
    expect(record).not.toHaveProperty('command')
    expect(configOf(configToYaml(record, config.command))).toEqual(config)
  })

  it('never becomes a config with a token, and nothing becomes an empty one', () => {
    expect(configToYaml({ project_id: 'p', token: 'hush' })).toBe('project_id: "p"\n')
    expect(parseConfig(configToYaml(undefined)).ok).toBe(false)
  })

  it('means the same when it is read again', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((value) => !value.includes('\0'))
    const optional = {
      name: fc.constantFrom('None', 'null', '3.10', 'yes', '~', 'a: b # c', "it's", 'ž "q" \\n', '- x'),
      environment: id,
      max_time: fc.integer({ min: 1, max: 2_592_000 }),
      priority: fc.integer({ min: -100, max: 100 }),
      env: fc.dictionary(
        fc.stringMatching(/^[A-Z_]{1,8}$/).filter((name) => !isReservedVariable(name)),
        text,
      ),
      args: fc.array(text, { maxLength: 5 }),
      allowed_gpus: fc.uniqueArray(fc.nat({ max: 1023 }), { minLength: 1, maxLength: 5 }),
      tags: fc.array(fc.constantFrom('a', 'NaN', '1', 'true'), { maxLength: 3 }),
    }
    const required = {
      competition_id: id,
      project_id: id,
      expected_time: fc.double({ min: 0.001, max: 1e6, noNaN: true }),
    }
    const written = fc.record(
      { ...required, ...optional },
      { requiredKeys: Object.keys(required) as never[] },
    )
    fc.assert(
      fc.property(written, (values) => {
        const config = configOf(JSON.stringify(values))
        expect(configOf(configToYaml(configForRecord(config)))).toEqual(config)
      }),
      { numRuns: 150 },
    )
  })
})
