import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { configFile, parseServer, readStored, removeStored, resolveConnection, writeStored } from './config'

let home: string
let env: NodeJS.ProcessEnv
const stored = { server: 'http://stored.test', token: 'stored-token' }

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-config-'))
  env = { NODE_ENV: 'test', HOME: home }
})
afterEach(() => rm(home, { recursive: true, force: true }))

it('uses the XDG directory if it is absolute', () => {
  expect(configFile(env)).toBe(join(home, '.config/gpuq/config.json'))
  expect(configFile({ ...env, XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/gpuq/config.json')
  expect(configFile({ ...env, XDG_CONFIG_HOME: 'relative' })).toBe(join(home, '.config/gpuq/config.json'))
})

it('writes the file for its owner only, even if others could read the old file', async () => {
  const path = configFile(env)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '{}', { mode: 0o644 })
  await chmod(dirname(path), 0o755)
  await writeStored(env, stored)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(stored)
})

it('removes the stored login once', async () => {
  await writeStored(env, stored)
  expect(await removeStored(env)).toBe(true)
  expect(await removeStored(env)).toBe(false)
  expect(await readStored(env)).toEqual({})
})

it('prefers the environment variables', async () => {
  await writeStored(env, stored)
  expect(await resolveConnection(env)).toEqual(stored)
  expect(await resolveConnection({ ...env, GPUQ_TOKEN: 'mine' })).toEqual({ ...stored, token: 'mine' })
  const both = { ...env, GPUQ_SERVER: 'http://other.test/', GPUQ_TOKEN: 'mine' }
  expect(await resolveConnection(both)).toEqual({ server: 'http://other.test', token: 'mine' })
})

it('reads a token without the line end of Windows, from a variable and from the file', async () => {
  expect(
    await resolveConnection({ ...env, GPUQ_SERVER: 'http://a.test', GPUQ_TOKEN: 'mine\r' }),
  ).toMatchObject({
    token: 'mine',
  })
  await writeStored(env, { ...stored, token: 'stored-token\r\n', tokens: { 'http://b.test': 'b\r' } })
  expect(await resolveConnection(env)).toEqual(stored)
  expect(await resolveConnection({ ...env, GPUQ_TOKEN: '\r' })).toEqual(stored)
  expect(await resolveConnection({ ...env, GPUQ_SERVER: 'http://b.test' })).toMatchObject({ token: 'b' })
})

it('refuses a token that no request can carry', async () => {
  const odd = { ...env, GPUQ_SERVER: 'http://a.test', GPUQ_TOKEN: 'a\rb' }
  await expect(resolveConnection(odd)).rejects.toThrow('has a space or a character that no token has')
})

it('does not send a stored token to another server', async () => {
  await writeStored(env, stored)
  const other = { ...env, GPUQ_SERVER: 'http://other.test' }
  await expect(resolveConnection(other)).rejects.toThrow('No token found for http://other.test.')
})

it('keeps one token per server and sends it only to that server', async () => {
  await writeStored(env, { ...stored, tokens: { 'http://other.test': 'other-token' } })
  const other = { ...env, GPUQ_SERVER: 'http://other.test' }
  expect(await resolveConnection(env)).toEqual(stored)
  expect(await resolveConnection(other)).toEqual({ server: 'http://other.test', token: 'other-token' })
  const third = { ...env, GPUQ_SERVER: 'http://third.test' }
  await expect(resolveConnection(third)).rejects.toThrow('No token found for http://third.test.')
})

it('tells the user what to do if the file is missing or damaged', async () => {
  await expect(resolveConnection(env)).rejects.toThrow('Run `gpuq login` first, or set GPUQ_SERVER')
  await writeStored(env, stored)
  await writeFile(configFile(env), 'half of')
  await expect(resolveConnection(env)).rejects.toThrow('is damaged')
})

it.each([
  ['gpu.example.org', 'https://gpu.example.org'],
  ['localhost:8001', 'http://localhost:8001'],
  ['127.0.0.1:8001/', 'http://127.0.0.1:8001'],
  ['http://gpu.example.org:8001/gpuq/', 'http://gpu.example.org:8001/gpuq'],
])('parses the address %s', (given, server) => {
  expect(parseServer(given)).toBe(server)
})

it.each(['', 'ftp://gpu.example.org', 'http://me:secret@gpu.example.org', 'http://'])(
  'rejects the address "%s"',
  (given) => {
    expect(() => parseServer(given)).toThrow('is not a server address')
  },
)
