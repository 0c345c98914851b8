import { expect, it } from 'vitest'
import { parseEnv } from '../env'

const parse = (given: Record<string, string>) =>
  parseEnv({ NODE_ENV: 'test', GPUQ_HOST_FILES: 'true', ...given }).GPUQ_HOST_FILES

it.each<Record<string, string>>([
  {},
  { HOST: 'localhost', GPUQ_URL: 'http://127.0.0.1:8001' },
  { DATABASE_URL: 'postgresql://gpuq@127.0.0.1:5432/gpuq' },
  { DATABASE_URL: 'postgresql://gpuq@[::1]/gpuq' },
  { DATABASE_URL: 'postgresql:///gpuq?host=/run/postgresql' },
])('a server that only this machine reaches may use files of its host: %o', (given) => {
  expect(parse(given)).toBe(true)
})

it('a server that others may reach does not start with them', () => {
  const cases: [string, Record<string, string>][] = [
    ['HOST', { HOST: '0.0.0.0' }],
    ['HOST', { HOST: '192.168.1.5' }],
    ['GPUQ_URL', { GPUQ_URL: 'https://gpuq.example.org' }],
    ['GPUQ_TRUSTED_PROXIES', { GPUQ_TRUSTED_PROXIES: '127.0.0.1' }],
    ['GPUQ_WORKSPACES', { GPUQ_WORKSPACES: '/workspace' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql://gpuq@db.example.org/gpuq' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgresql:///gpuq?host=db.example.org' }],
    ['DATABASE_URL', { DATABASE_URL: 'host=db.example.org' }],
  ]
  for (const [name, given] of cases) {
    expect(() => parse(given), name).toThrow(`GPUQ_HOST_FILES: cannot be used with ${name}`)
    expect(() => parse({ ...given, GPUQ_HOST_FILES: 'false' })).not.toThrow()
  }
})
