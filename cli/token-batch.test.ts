import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { login } from './commands/account'
import { createTokenBatch } from './commands/token-batch'
import { isOwnJob } from './job/own-job'
import { fakeContext, idOf } from './testing/fake-context'

let directory: string
let list: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-cli-tokens-'))
  list = join(directory, 'users.txt')
  await writeFile(list, 'ada\nbob\n')
})
afterEach(() => rm(directory, { recursive: true }))

const tokenOf = (user_id: string) => ({
  token_id: idOf(7),
  user_id,
  user_name: null,
  name: 'class',
  hint: 'gpuq_abcd',
  scopes: ['submit', 'read'],
  bound_to: null,
  created_by: 'grace',
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  token: `gpuq_${user_id}`,
  config: `token: "gpuq_${user_id}"\n`,
})

const answering = (users: readonly string[], seen: unknown[] = []) =>
  fakeContext(async (request) => {
    seen.push(await request.json())
    return Response.json({ project_id: 'vision', tokens: users.map(tokenOf) }, { status: 201 })
  })

describe('tokens for the users of a list', () => {
  it('are written as configs that only their owner reads', async () => {
    const seen: unknown[] = []
    const context = answering(['ada', 'bob'], seen)
    const output = join(directory, 'configs')
    expect(await createTokenBatch(context, list, { project: 'vision', expires: 30, output })).toBe(0)
    expect(seen).toEqual([{ users: 'ada\nbob\n', project_id: 'vision', expires_in_days: 30 }])
    expect((await readdir(output)).sort()).toEqual(['ada', 'bob'])
    const file = join(output, 'bob', 'config.yaml')
    expect(await readFile(file, 'utf8')).toBe('token: "gpuq_bob"\n')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(context.written.out).toBe(`Wrote 2 configs below ${output}.\n`)
  })

  it('are not made where their configs cannot be written', async () => {
    const seen: unknown[] = []
    const context = answering(['ada'], seen)
    const given = { project: 'vision', output: directory }
    await expect(createTokenBatch(context, list, given)).rejects.toThrow('Choose another --output')
    await expect(createTokenBatch(context, list, { project: 'vision' })).rejects.toThrow('Give --output')
    await expect(createTokenBatch(context, list, { output: 'x' })).rejects.toThrow('Give --class CLASS')
    expect(seen).toEqual([])
  })

  it('leave no directory after a refusal', async () => {
    const problem = { detail: 'No token was created. Line 2: no.', code: 'invalid_fields', errors: [] }
    const context = fakeContext(() => Response.json(problem, { status: 422 }))
    const output = join(directory, 'configs')
    await expect(createTokenBatch(context, list, { project: 'vision', output })).rejects.toThrow(
      'Line 2: no.',
    )
    expect(await readdir(directory)).toEqual(['users.txt'])
  })

  it('cannot be written outside the directory by a server', async () => {
    const output = join(directory, 'configs')
    const given = { project: 'vision', output }
    await expect(createTokenBatch(answering(['../ada']), list, given)).rejects.toThrow('its path')
    expect(await readdir(directory)).toEqual(['configs', 'users.txt'])
  })
})

describe('a token that may not read whose it is', () => {
  const refusal = () =>
    Response.json({ detail: 'This token is only for a class.', code: 'forbidden' }, { status: 403 })

  it('has only jobs of its user', async () => {
    expect(await isOwnJob(fakeContext(refusal).client, { user_id: 'ada' })).toBe(true)
    const invalid = fakeContext(() =>
      Response.json({ detail: 'No.', code: 'unauthenticated' }, { status: 401 }),
    )
    await expect(isOwnJob(invalid.client, { user_id: 'ada' })).rejects.toThrow('No.')
  })

  it('is stored by a login', async () => {
    const context = fakeContext(refusal)
    context.env = { NODE_ENV: 'test', XDG_CONFIG_HOME: directory }
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')
    const { Readable } = await import('node:stream')
    Object.defineProperty(process, 'stdin', { value: Readable.from([`gpuq_${'a'.repeat(49)}\n`]) })
    await login(context, { server: 'http://gpuq.test', tokenStdin: true }).finally(() => {
      if (stdin) Object.defineProperty(process, 'stdin', stdin)
    })
    expect(context.written.out).toMatch(/^Logged in to http:\/\/gpuq\.test\. Token stored in /)
  })
})
