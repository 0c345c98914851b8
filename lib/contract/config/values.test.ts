import { describe, expect, it } from 'vitest'
import { parseConfig } from './config'
import { configField, configKeys } from './schema'

const base = 'competition_id: "c"\nproject_id: p\nexpected_time: 60\n'

function errorsOf(text: string) {
  const result = parseConfig(text)
  return result.ok ? [] : result.errors
}

describe('a mistake', () => {
  it.each([
    ['0', 'must be more than 0 seconds'],
    ['-1', 'must be more than 0 seconds'],
    ['.nan', 'must be a number, and .nan is none'],
    ['.inf', 'must be a number with an end, not .inf'],
    ['1e99', 'must be at most 2592000 seconds (30 days)'],
    ['soon', 'must be seconds, such as 300, or a time with a unit: 90s, 5m, 2h, 1h30m or 1d'],
    ['[60]', 'must be seconds, such as 300, or a time with a unit: 90s, 5m, 2h, 1h30m or 1d'],
    ['true', 'must be seconds, such as 300, or a time with a unit: 90s, 5m, 2h, 1h30m or 1d'],
  ])('a mistake in expected_time %s is named', (value, message) => {
    expect(errorsOf(base.replace('60', value))).toEqual([
      { path: 'expected_time', message, line: 3, column: 16 },
    ])
  })

  it.each([
    ['5m', 300],
    ['"300"', 300],
    ['1h30m', 5400],
  ])('expected_time %s is a duration', (value, seconds) => {
    expect(parseConfig(base.replace('60', value))).toMatchObject({
      ok: true,
      config: { expected_time: seconds },
    })
  })

  it.each([
    ['before a key', '\u00a0name: x\n', 'config_file', 'U+00A0'],
    ['in an indentation', 'env:\n\u00a0 A: "1"\n', 'config_file', 'U+00A0'],
    ['after a colon', 'name:\u00a0x\n', 'config_file', 'a no-break space (U+00A0)'],
    ['at the end of a number', 'gpu_count: 1\u00a0\n', 'gpu_count', 'U+00A0'],
    ['at the start of a variable', 'env: {A: \u00a01}\n', 'env.A', 'U+00A0'],
    ['within a number', 'gpu_memory_gb: 1\u202f024\n', 'gpu_memory_gb', 'a no-break space (U+202F)'],
    ['of no width', 'gpu_count\u200b: 1\n', 'config_file', 'a special space (U+200B)'],
  ])('a mistake in a space that is none is named: %s', (_, text, path, message) => {
    expect(errorsOf(base + text)).toEqual([
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    ])
  })

  it('a mistake in a space is not found within a text', () => {
    expect(errorsOf(`${base}name: a\u00a0b\nargs: ["\u00a0"]\n`)).toEqual([])
  })

  it.each(['a/b', '..', '"a\\0b"', '"a\\nb"', '😀', 'x'.repeat(10_000), '""', '-x'])(
    'a mistake in an id is refused without repeating it: %s',
    (value) => {
      const [error, ...others] = errorsOf(base.replace(' p\n', ` ${value}\n`))
      expect(others).toEqual([])
      expect(error).toMatchObject({ path: 'project_id', line: 2, column: 13 })
      expect(error?.message).toMatch(/^use 1 to 64 letters/)
      expect(error?.message.length).toBeLessThan(200)
    },
  )

  it.each([
    ['project_id: 5', 'must be a text: put it in quotes'],
    ['project_id: true', 'must be a text: put it in quotes'],
    ['project_id: [a]', 'must be one text, not a list or a mapping'],
    ['project_id: {a: 1}', 'must be one text, not a list or a mapping'],
  ])('a mistake of kind is explained: %s', (line, message) => {
    expect(errorsOf(base.replace('project_id: p', line))).toMatchObject([{ path: 'project_id', message }])
  })

  it.each([
    ['gpu_fraction: 0.1234', 'gpu_fraction', 'at most three decimals'],
    ['gpu_fraction: 0', 'gpu_fraction', 'at least 0.001'],
    ['gpu_fraction: 1.5', 'gpu_fraction', 'at most 1'],
    ['gpu_count: 9', 'gpu_count', 'at most 8'],
    ['gpu_count: 1.5', 'gpu_count', 'whole number'],
    ['instance_count: 0', 'instance_count', 'at least 1'],
    ['priority: 101', 'priority', 'at most 100'],
    ['max_retries: -1', 'max_retries', 'at least 0'],
    ['max_time: 0', 'max_time', 'more than 0'],
    ['cpu: "4"', 'cpu', 'write 4 without quotes'],
    ['name: ""', 'name', 'is empty'],
    ['name: "a\\nb"', 'name', 'one line'],
    ['name: "\\u202Eevil"', 'name', 'one line'],
    ['name: "\\uD800"', 'name', 'one line'],
    ['environment: a b', 'environment', 'use 1 to 64'],
    ['token: 12345', 'token', 'put it in quotes'],
    ['token: "a b"', 'token', 'one word'],
    ['token: {a: b}', 'token', 'one text'],
    ['pool: fast', 'pool', 'one of: reserved, on-demand, best-effort'],
    ['notify_url: ftp://x.org', 'notify_url', 'http'],
    ['notify_url: "javascript:alert(1)"', 'notify_url', 'http'],
    ['notify_url: https://ada:pw@x.org', 'notify_url', 'without a user name'],
    ['tags: x', 'tags', 'must be a list'],
    ['tags: [a, 5]', 'tags.1', 'put it in quotes'],
    ['tags: [[a]]', 'tags.0', 'one text'],
    ["args: 'a \"b'", 'args', 'no closing quote'],
    ['args: {a: b}', 'args', 'list of texts'],
    ['args: ["a\\0b"]', 'args.0', 'NUL'],
    ['allowed_gpus: 3-1', 'allowed_gpus', 'ranges'],
    ['allowed_gpus: 0-99999', 'allowed_gpus', 'ranges'],
    ['allowed_gpus: []', 'allowed_gpus', 'no GPU'],
    ['env: [A]', 'env', 'mapping'],
    ['env: {A: }', 'env.A', 'is empty'],
    ['env: {A: [1]}', 'env.A', 'one text'],
    ['env: {1A: x}', 'env', 'begins with no digit'],
    ['env: {NVIDIA_VISIBLE_DEVICES: all}', 'env.NVIDIA_VISIBLE_DEVICES', 'reserved'],
    ['env: {LD_PRELOAD: x.so}', 'env.LD_PRELOAD', 'reserved'],
    ['env: {GPUQ_JOB_ID: x}', 'env.GPUQ_JOB_ID', 'reserved'],
  ])('a mistake in %s is found', (line, path, message) => {
    const errors = errorsOf(`${base}${line}\n`)
    expect(errors).toMatchObject([{ path, line: 4 }])
    expect(errors[0]?.message).toContain(message)
  })

  it('between two keys is found', () => {
    expect(errorsOf(`${base}gpu_fraction: 0.5\ngpu_count: 2\n`)).toMatchObject([
      { path: 'gpu_fraction', line: 4 },
    ])
    expect(errorsOf(`${base}gpu_fraction: 0.5\ngpu_count: 0\n`)).toMatchObject([{ path: 'gpu_fraction' }])
    expect(errorsOf(`${base}gpu_count: 2\nallowed_gpus: [3]\n`)).toMatchObject([
      { path: 'allowed_gpus', line: 5 },
    ])
    expect(errorsOf(`${base}instance_count: 2\nenv: {MASTER_ADDR: localhost, OWN: x}\n`)).toMatchObject([
      { path: 'env.MASTER_ADDR', line: 5 },
    ])
    expect(errorsOf(`${base}env: {MASTER_ADDR: localhost}\n`)).toEqual([])
  })

  it('brings no silence about the others, in the order of the text', () => {
    const errors = errorsOf('project_id: 5\nexpcted_time: 60\nproject_id: x\ngpu_count: 99\n')
    expect(errors.map(({ path }) => path)).toEqual([
      'competition_id',
      'expected_time',
      'project_id',
      'expcted_time',
      'project_id',
      'gpu_count',
    ])
  })

  it('made a thousand times gives a list that a person can read', () => {
    const text = Array.from({ length: 1000 }, (_, index) => `key${index}: 1\n`).join('')
    expect(errorsOf(text).length).toBeLessThanOrEqual(20)
  })
})

describe('the list of fields', () => {
  it('describes every key, and its examples are a valid config', () => {
    const required = configKeys.filter((key) => configField(key).required)
    expect(required).toEqual(['competition_id', 'project_id', 'expected_time'])
    for (const key of configKeys) {
      const { description, example } = configField(key)
      expect(description).not.toBe('')
      const fraction = key === 'gpu_fraction' ? {} : { [key]: example }
      const script = key === 'conda_prefix' ? { host_script: '/home/ada/train.py' } : {}
      const nodes = key === 'provision_args' ? { fresh_nodes: true } : {}
      expect(
        errorsOf(
          `${JSON.stringify({ competition_id: 'c', project_id: 'p', expected_time: 1, ...script, ...nodes, ...fraction })}`,
        ),
      ).toEqual([])
    }
  })
})
