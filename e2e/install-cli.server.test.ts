import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { submit, waitingConfig } from './uploads'

/** Installs the command line from the server, as a user without a checkout does. */

const run = promisify(execFile)
let home: string
let person: TestUser

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-get-'))
  person = await createUser({ name: 'newcomer', limits: noLimits })
})
afterAll(() => rm(home, { recursive: true, force: true }))

interface Ended {
  code: number
  out: string
  err: string
}

/** The environment contains nothing of this checkout. */
async function type(file: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const { PATH = '' } = process.env
  try {
    const { stdout, stderr } = await run(file, args, {
      cwd: home,
      env: { PATH, HOME: home, NODE_ENV: 'production', ...env },
    })
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

it('anyone can download the package, and an unchanged package is not sent again', async () => {
  const address = `${theSystem().url}/gpuq.tgz`
  const first = await fetch(address)
  expect(first.status).toBe(200)
  expect(first.headers.get('content-type')).toBe('application/gzip')
  expect(first.headers.get('x-content-type-options')).toBe('nosniff')
  const built = await readFile(join(import.meta.dirname, '..', 'dist', 'gpuq.tgz'))
  expect(built.equals(Buffer.from(await first.arrayBuffer()))).toBe(true)
  const etag = first.headers.get('etag') ?? ''
  const second = await fetch(address, { headers: { 'if-none-match': etag } })
  expect([second.status, (await second.arrayBuffer()).byteLength]).toEqual([304, 0])
  const head = await fetch(address, { method: 'HEAD' })
  expect([head.status, head.headers.get('etag')]).toEqual([200, etag])
})

it('npm installs the package without a registry, and it works', async () => {
  const { url } = theSystem()
  const prefix = join(home, 'prefix')
  const nowhere = { npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(home, 'cache') }
  const words = ['install', '-g', '--prefix', prefix, '--no-audit', '--no-fund', `${url}/gpuq.tgz`]
  expect(await type('npm', words, nowhere)).toMatchObject({ code: 0 })
  const gpuq = (args: string[], env = {}) => type(join(prefix, 'bin', 'gpuq'), args, env)

  expect(await gpuq(['--version'])).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' })
  const env = { GPUQ_SERVER: url, GPUQ_TOKEN: person.token }
  const id = await submit(person, 'print(1)', waitingConfig)
  const listed = await gpuq(['jobs', '--json'], env)
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toContain(id)
  expect(await gpuq(['cancel', id], env)).toMatchObject({ code: 0, err: '' })
  const ran = await gpuq(['run', '--gpus', '0', '-q', '--', 'echo', 'from afar'], env)
  expect(ran).toEqual({ code: 0, out: 'from afar\n', err: '' })

  for (const [command, needed] of [
    ['start', 'Or set GPUQ_SERVER'],
    ['worker', 'use the program `gpuq` of the clone'],
  ] as const) {
    const refused = await gpuq([command])
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toMatch(/^gpuq: .+\n$/)
    expect(refused.err).toContain(needed)
  }
  expect((await readdir(home)).filter((name) => name.startsWith('gpuq_'))).toEqual([])
})
