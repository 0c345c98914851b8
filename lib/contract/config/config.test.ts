import { describe, expect, it } from 'vitest'
import { parseConfig, timeLimitSeconds } from './config'

const base = 'competition_id: "c"\nproject_id: p\nexpected_time: 60\n'

function configOf(text: string) {
  const result = parseConfig(text)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return result.config
}

function errorsOf(text: string) {
  const result = parseConfig(text)
  return result.ok ? [] : result.errors
}

describe('a config', () => {
  it('is read with its defaults, and gives its token apart', () => {
    const result = parseConfig(
      'competition_id: "my-competition"\nproject_id: "my-project"\nuser_id: "your_user_id"\n' +
        'expected_time: 300  # Expected runtime in seconds\ntoken: "your-secret-token-here"\n',
    )
    expect(result).toEqual({
      ok: true,
      token: 'your-secret-token-here',
      written: expect.toSatisfy((keys: string[]) => keys.length === 5 && keys.includes('expected_time')),
      config: {
        competition_id: 'my-competition',
        project_id: 'my-project',
        user_id: 'your_user_id',
        expected_time: 300,
        gpu_count: 1,
        gpusChosen: false,
        instance_count: 1,
        priority: 0,
        max_retries: 2,
        retry_on: [],
        mounts: {},
        env: {},
        args: [],
        cuda_argument: false,
        fresh_nodes: false,
        tty: false,
        pool: 'on-demand',
        depends_on: [],
        tags: [],
      },
    })
  })

  it('may be the text of a Python dict', () => {
    const text =
      "{'user_id': 'x', 'competition_id': 'test', 'project_id': 'demo', 'expected_time': 60.5, 'name': None, " +
      "'env': {'A': \"it's\", 'DEBUG': True}, 'args': ['--lr', 0.1], 'token': 'gpuq_abc'}"
    expect(parseConfig(text)).toMatchObject({
      ok: true,
      token: 'gpuq_abc',
      config: {
        expected_time: 60.5,
        env: { A: "it's", DEBUG: 'True' },
        args: ['--lr', '0.1'],
      },
    })
  })

  it('may be JSON, may begin with a byte order mark and may end its lines as Windows does', () => {
    expect(
      configOf('\ufeff{"competition_id": "c", "project_id": "p", "expected_time": 1e2}').expected_time,
    ).toBe(100)
    expect(configOf(base.replaceAll('\n', '\r\n')).project_id).toBe('p')
  })

  it('takes every key', () => {
    const config = configOf(
      `${base}name: " first try "\nenvironment: pytorch\ngpu_fraction: 0.125\ngpu_memory_gb: 16\ngpu_model: A100\ninstance_count: 2\n` +
        'cpu: 1.5\nmemory_gb: 8\npriority: -5\nmax_time: 900\nmax_retries: 0\nenv: {SEED: 1}\nargs: [train, --lr, 0.10]\n' +
        'allowed_gpus: [5, 0, 5]\npool: on-demand\nnotify_url: https://example.org/x\ntags: [a, "b c"]\n',
    )
    expect(config).toMatchObject({
      name: 'first try',
      environment: 'pytorch',
      gpu_fraction: 0.125,
      gpu_memory_gb: 16,
      gpu_model: 'A100',
      gpusChosen: true,
      instance_count: 2,
      cpu: 1.5,
      memory_gb: 8,
      priority: -5,
      max_time: 900,
      max_retries: 0,
      env: { SEED: '1' },
      args: ['train', '--lr', '0.10'],
      allowed_gpus: [0, 5],
      pool: 'on-demand',
      notify_url: 'https://example.org/x',
      tags: ['a', 'b c'],
    })
  })

  it('keeps variables and arguments as they are written', () => {
    const { env, args } = configOf(
      `${base}env: {VERSION: 3.10, HEX: 0x1F, BIG: 12345678901234567890, FLAG: yes, EMPTY: "", ON: true}\nargs: [1.0, "2"]`,
    )
    expect(env).toEqual({
      VERSION: '3.10',
      HEX: '0x1F',
      BIG: '12345678901234567890',
      FLAG: 'yes',
      EMPTY: '',
      ON: 'true',
    })
    expect(args).toEqual(['1.0', '2'])
  })

  it('refuses a variable whose value was hidden from the person who copied the config', () => {
    expect(() => configOf(`${base}env: {API_KEY: (hidden)}`)).toThrow(
      /env\.API_KEY.*write a value, or remove the variable/,
    )
  })

  it('splits arguments as a shell does, and GPU numbers by ranges', () => {
    expect(configOf(`${base}args: --name "a b" --dir $HOME`).args).toEqual([
      '--name',
      'a b',
      '--dir',
      '$HOME',
    ])
    expect(configOf(`${base}allowed_gpus: 0-3, 5`).allowed_gpus).toEqual([0, 1, 2, 3, 5])
  })

  it('treats an empty optional key as left out', () => {
    expect(parseConfig(`${base}user_id:\ntoken: ~\nmax_time: null\n`)).toEqual(parseConfig(base))
  })
})

describe('a command', () => {
  it('stands alone: arguments are for solution.py', () => {
    expect(configOf(`${base}command: " bash run.sh | tee out "`).command).toBe('bash run.sh | tee out')
    expect(errorsOf(`${base}command: "true"\nargs: "--epochs 1"`)).toMatchObject([{ path: 'args', line: 5 }])
    expect(errorsOf(`${base}command: "true"\ncuda_argument: true`)).toMatchObject([{ path: 'cuda_argument' }])
    expect(errorsOf(`${base}command: ""`)).toMatchObject([{ path: 'command', line: 4 }])
  })
})

describe('a key', () => {
  it('a key that is missing is shown with an example', () => {
    expect(errorsOf('competition_id: c\nexpected_time: 5\n')).toEqual([
      {
        path: 'project_id',
        message:
          'needs a value: write a line such as `project_id: "my-project"` (the project of the job; gpuq creates it if it does not exist)',
        line: 1,
        column: 1,
      },
    ])
  })

  it.each([
    ['expcted_time', 'expected_time'],
    ['expectedTime', 'expected_time'],
    ['EXPECTED-TIME', 'expected_time'],
    ['compettion_id', 'competition_id'],
    ['gpu_mem', 'gpu_memory_gb'],
    ['tag', 'tags'],
  ])('%s that is unknown brings the nearest one', (key, near) => {
    const errors = errorsOf(`${base}${key}: 5\n`)
    expect(errors).toEqual([
      { path: key, message: `unknown key \`${key}\`: did you mean \`${near}\`?`, line: 4, column: 1 },
    ])
  })

  it('a key that is like no other is named too, unless it stands where a token may have broken', () => {
    expect(errorsOf(`${base}learning_rate: 5\n`)[0]).toMatchObject({ path: 'learning_rate' })
    expect(errorsOf(`token: abc\nlearning_rate: 5\n${base}`)[0]).toMatchObject({
      path: 'config_file',
      line: 2,
    })
    expect(errorsOf(`token: abc\n${base}learning_rate: 5\n`)[0]).toMatchObject({ path: 'learning_rate' })
    expect(errorsOf(`${base}"\\u001b[31m": 5\n`)[0]).toMatchObject({ path: 'config_file', line: 4 })
    expect(errorsOf(`${base}${'x'.repeat(5000)}: 5\n`).at(-1)?.message.length).toBeLessThan(200)
  })

  it.each(['__proto__', 'constructor', 'prototype'])('%s is refused at every depth', (key) => {
    for (const text of [`${base}${key}: {a: 1}`, `${base}env:\n  ${key}: x`, `${base}tags: [{${key}: 1}]`]) {
      expect(errorsOf(text).map(({ message }) => message)).toContain(`the key \`${key}\` is not allowed`)
    }
    expect({}).not.toHaveProperty('a')
  })

  it('a key that appears twice, and a merge key, are refused', () => {
    expect(errorsOf(`${base}project_id: q\n`)).toEqual([
      { path: 'project_id', message: 'the key `project_id` appears twice', line: 4, column: 1 },
    ])
    expect(errorsOf(`${base}env: {A: 1, A: 2}\n`)).toMatchObject([{ path: 'env.A', line: 4, column: 13 }])
    expect(errorsOf(`${base}<<: {a: 1}\n`)[0]?.message).toMatch(/^merge keys/)
  })
})

describe('the time limit', () => {
  it.each([
    [{ expected_time: 300, max_time: 50 }, 86_400, 50],
    [{ expected_time: 300 }, 86_400, 600],
    [{ expected_time: 10 }, 86_400, 70],
    [{ expected_time: 300 }, 400, 400],
    [{ expected_time: 300, max_time: 900 }, 400, 400],
  ])('the time limit of %j under %d is %d', (config, ceiling, limit) => {
    expect(timeLimitSeconds(config, ceiling)).toBe(limit)
  })
})
