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

it('lies in the XDG directory, if that is absolute', () => {
  expect(configFile(env)).toBe(join(home, '.config/gpuq/config.json'))
  expect(configFile({ ...env, XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/gpuq/config.json')
  expect(configFile({ ...env, XDG_CONFIG_HOME: 'relative' })).toBe(join(home, '.config/gpuq/config.json'))
})

it('is for its owner alone, also where others could read it before', async () => {
  const path = configFile(env)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '{}', { mode: 0o644 })
  await chmod(dirname(path), 0o755)
  await writeStored(env, stored)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(stored)
})

it('is forgotten once', async () => {
  await writeStored(env, stored)
  expect(await removeStored(env)).toBe(true)
  expect(await removeStored(env)).toBe(false)
  expect(await readStored(env)).toEqual({})
})

it('gives way to the variables', async () => {
  await writeStored(env, stored)
  expect(await resolveConnection(env)).toEqual(stored)
  expect(await resolveConnection({ ...env, GPUQ_TOKEN: 'mine' })).toEqual({ ...stored, token: 'mine' })
  const both = { ...env, GPUQ_SERVER: 'http://other.test/', GPUQ_TOKEN: 'mine' }
  expect(await resolveConnection(both)).toEqual({ server: 'http://other.test', token: 'mine' })
})

it('sends a stored token to no other server', async () => {
  await writeStored(env, stored)
  const other = { ...env, GPUQ_SERVER: 'http://other.test' }
  await expect(resolveConnection(other)).rejects.toThrow('There is no token for http://other.test.')
})

it('keeps the tokens of other servers, each for its server alone', async () => {
  await writeStored(env, { ...stored, tokens: { 'http://other.test': 'other-token' } })
  const other = { ...env, GPUQ_SERVER: 'http://other.test' }
  expect(await resolveConnection(env)).toEqual(stored)
  expect(await resolveConnection(other)).toEqual({ server: 'http://other.test', token: 'other-token' })
  const third = { ...env, GPUQ_SERVER: 'http://third.test' }
  await expect(resolveConnection(third)).rejects.toThrow('There is no token for http://third.test.')
})

it('says what to do where there is nothing, or damage', async () => {
  await expect(resolveConnection(env)).rejects.toThrow('Run `gpuq login` first.')
  await writeStored(env, stored)
  await writeFile(configFile(env), 'half of')
  await expect(resolveConnection(env)).rejects.toThrow('is damaged')
})

it.each([
  ['gpu.example.org', 'https://gpu.example.org'],
  ['localhost:8001', 'http://localhost:8001'],
  ['127.0.0.1:8001/', 'http://127.0.0.1:8001'],
  ['http://gpu.example.org:8001/gpuq/', 'http://gpu.example.org:8001/gpuq'],
])('reads the address %s', (given, server) => {
  expect(parseServer(given)).toBe(server)
})

it.each(['', 'ftp://gpu.example.org', 'http://me:secret@gpu.example.org', 'http://'])(
  'refuses the address "%s"',
  (given) => {
    expect(() => parseServer(given)).toThrow("is no server's address")
  },
)
