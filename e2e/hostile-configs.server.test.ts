import { beforeAll, expect, it } from 'vitest'
import { expectProblem } from './expect-problem'
import { bearer } from './http-call'
import { countStored, findStoredTexts } from './stored-data'
import { createUser, type TestUser } from './test-users'
import { configText, sendParts, uploadParts } from './uploads'

/** Rejected configs: none is stored, uses quota, or leaks the token next to the error. */

interface Case {
  name: string
  /** The complete config. `token` is the line with the token. */
  config: (token: string) => string
  status?: number
  message: RegExp
  path?: string
  /** The line of the error. */
  line?: number
}

const code = 'print("never runs")'
const withKeys = (keys: Record<string, unknown>) => (token: string) => `${token}${configText(keys)}`
const withLine = (line: string) => (token: string) => `${token}${configText()}${line}\n`

const laughs = Array.from({ length: 12 }, (_, level) =>
  level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}, *a${level - 1}]`,
).join('\n')

const yamlCases: Case[] = [
  { name: 'an open quote', config: (token) => `${token}name: "open\n`, message: /quote/, line: 2 },
  {
    name: 'an open quote before the token',
    config: (token) => `name: "open\n${token}`,
    message: /quote|colon/,
  },
  {
    name: 'an open quote in the token',
    config: (token) => token.replace(/"$/m, ''),
    message: /quote/,
  },
  { name: 'an open bracket', config: (token) => `${token}args: [1, 2\n`, message: /bracket/ },
  { name: 'a tab', config: (token) => `${token}env:\n\tA: b\n`, message: /tab/, line: 3 },
  {
    name: 'a token line with a second colon',
    config: (token) => `${configText()}${token.replace('token: ', 'token: token: ')}`,
    message: /config_file/,
    line: 7,
  },
  { name: 'aliases that expand', config: (token) => `${token}${laughs}\n`, message: /aliases/ },
  { name: 'a merge key', config: (token) => `${token}a: &a {b: 1}\n<<: *a\n`, message: /aliases/ },
  {
    name: 'a tag of a program',
    config: withLine('name: !!python/object/apply:os.system ["id"]'),
    message: /tags/,
    line: 8,
  },
  { name: 'a custom tag', config: withLine('name: !mine x'), message: /tags/, line: 8 },
  { name: 'two documents', config: (token) => `${token}---\n${configText()}`, message: /second document/ },
  { name: 'a list', config: (token) => `- ${token}`, message: /not a list/ },
  { name: 'a single word', config: () => 'hello\n', message: /key: value/ },
  { name: 'only a comment', config: () => '# nothing\n', message: /empty/ },
  {
    name: '20,000 levels',
    config: (token) => `${token}args: ${'['.repeat(20_000)}\n`,
    message: /nested/,
  },
  {
    name: '20,000 levels of mappings',
    config: (token) => `${token}env: ${'{a: '.repeat(10_000)}\n`,
    message: /nested/,
  },
  {
    name: 'too many entries',
    config: withLine(`args: [${'a,'.repeat(15_000)}]`),
    message: /entries/,
  },
  { name: 'more than 64 KiB', config: withLine(`# ${'x'.repeat(65 * 1024)}`), message: /64 KiB/ },
  { name: 'a control character', config: withLine('name: a\u0007b'), message: /U\+0007/, line: 8 },
]

const keyCases: Case[] = [
  {
    name: 'a misspelled key',
    config: (token) => `${token}${configText().replace('competition_id', 'competiton_id')}`,
    message: /competition_id/,
    line: 2,
  },
  { name: 'an unknown key', config: withLine('colour: blue'), message: /colour/, line: 8 },
  { name: 'a key twice', config: withLine('cpu: 2'), message: /twice/, path: 'cpu', line: 8 },
  {
    name: 'the key __proto__',
    config: withLine('__proto__: {admin: true}'),
    message: /config_file/,
    line: 8,
  },
  {
    name: 'the key constructor',
    config: withLine('constructor: {prototype: {a: 1}}'),
    message: /config_file/,
  },
  {
    name: 'a list as a key',
    config: withLine('[a, b]: 1'),
    message: /key/,
  },
  {
    name: 'no competition',
    config: (token) => `${token}project_id: p\nexpected_time: 1\n`,
    message: /competition_id|missing/,
  },
  {
    name: 'an unavailable feature',
    config: withKeys({ fresh_nodes: true }),
    path: 'fresh_nodes',
    message: /cannot start nodes on demand/,
  },
]

const times = [
  '0',
  '-1',
  '.nan',
  '.inf',
  '-.inf',
  '1e99',
  '"5 minuets"',
  'true',
  '[300]',
  '{a: 1}',
  'null',
  'soon',
]
const ids = {
  'with a slash': 'a/b',
  'of dots': '..',
  'that climbs': '../../etc/passwd',
  'with NUL': 'a\0b',
  'with a line feed': 'a\nb',
  'that is an emoji': '🚀',
  'of 10,000 characters': 'a'.repeat(10_000),
  'that is empty': '',
  'that starts with a dash': '-rf',
  'with a right-to-left override': 'a\u202eb',
}

const valueCases: Case[] = [
  ...times.map((value) => ({
    name: `the expected time ${value}`,
    config: (token: string) =>
      `${token}${configText().replace('expected_time: 60', `expected_time: ${value}`)}`,
    message: /seconds|number/,
    path: 'expected_time',
    line: 4,
  })),
  ...['competition_id', 'project_id', 'environment'].flatMap((key) =>
    Object.entries(ids).map(([kind, id]) => ({
      name: `a ${key} ${kind}`,
      config: withKeys({ [key]: id }),
      message: /letters/,
      path: key,
    })),
  ),
  ...Object.entries(ids).map(([kind, id]) => ({
    name: `a user_id ${kind}`,
    config: withKeys({ user_id: id }),
    message: /letters/,
    path: 'user_id',
  })),
  {
    name: 'a list for an id',
    config: withKeys({ competition_id: ['a'] }),
    message: /text/,
    path: 'competition_id',
  },
  {
    name: 'an unknown environment',
    config: withKeys({ environment: 'windows' }),
    message: /python/,
    path: 'environment',
  },
  {
    name: 'a reserved variable',
    config: withKeys({ env: { NVIDIA_VISIBLE_DEVICES: 'all' } }),
    message: /reserved/,
  },
  {
    name: 'too many GPUs',
    config: withKeys({ gpu_count: 9 }),
    message: /at most 8/,
    path: 'gpu_count',
  },
  {
    name: 'a fractional GPU count',
    config: withKeys({ gpu_count: 0.5 }),
    message: /whole/,
    path: 'gpu_count',
  },
]

let person: TestUser
beforeAll(async () => {
  person = await createUser({ name: 'configs' })
})

for (const { name, config, status = 422, message, path, line } of [
  ...yamlCases,
  ...keyCases,
  ...valueCases,
]) {
  it(`${name} is rejected`, async () => {
    const text = config(`token: "${person.token}"\n`)
    const answer = await sendParts(person, uploadParts(code, text))
    const { detail, errors = [] } = expectProblem(answer, status)
    expect(`${detail} ${errors.map(({ message }) => message).join(' ')}`).toMatch(message)
    if (path !== undefined) expect(errors.map((error) => error.path)).toContain(path)
    if (line !== undefined) expect(errors.map((error) => error.line)).toContain(line)
    expect(answer.text).not.toContain(person.token.slice(0, 12))
    expect(await countStored(person.handle)).toEqual({ jobs: 0, projects: 0, keys: 0 })
  })
}

it('rejected configs use no quota, and the token is not stored', async () => {
  const answer = await sendParts(person, uploadParts(code, configText()))
  expect(answer.status).toBe(202)
  expect(answer.headers['ratelimit-remaining']).toBe('4')
  expect(await findStoredTexts([person.token])).toEqual([])
  expect((await person.client.transport.raw('/api/users/me', { headers: bearer(person.token) })).status).toBe(
    200,
  )
})
