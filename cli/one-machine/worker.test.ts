import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Context } from '../context'
import { fakeContext } from '../testing/fake-context'
import { worker } from './worker'

/** A checkout whose worker records its environment. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-worker-'))
  await mkdir(join(root, 'deploy', 'run'), { recursive: true })
  await mkdir(join(root, 'dist'))
  await copyFile('deploy/run/exit-with-parent.mjs', join(root, 'deploy', 'run', 'exit-with-parent.mjs'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const contextWith = (env: Record<string, string>): Context => ({
  ...fakeContext(() => new Response()),
  env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
})
const database = { DATABASE_URL: 'postgresql://db.test/gpuq' }

async function build(code: string): Promise<void> {
  await writeFile(join(root, 'package.json'), '{"type": "module"}')
  await writeFile(join(root, 'dist', 'worker.js'), code)
}

it('passes the database, name, GPUs, pool and data directory to the worker', async () => {
  await build(
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(root, 'seen'))}, JSON.stringify(process.env))`,
  )
  const options = { name: 'node-7', gpus: 2, pool: 'reserved' }
  expect(await worker(contextWith({ ...database, GPUQ_DATA_DIR: '/srv/gpuq' }), options, root)).toBe(0)
  expect(JSON.parse(await readFile(join(root, 'seen'), 'utf8'))).toMatchObject({
    ...database,
    GPUQ_NODE_NAME: 'node-7',
    GPUQ_GPUS: '2',
    GPUQ_NODE_POOL: 'reserved',
    GPUQ_DATA_DIR: '/srv/gpuq',
  })
})

it('exits with the exit code of the worker', async () => {
  await build('process.exit(7)')
  expect(await worker(contextWith(database), {}, root)).toBe(7)
  await build("process.kill(process.pid, 'SIGKILL')")
  expect(await worker(contextWith(database), {}, root)).toBe(137)
})

it('forwards a signal once and waits until the worker has exited', async () => {
  const seen = join(root, 'seen')
  await build(
    `import { appendFileSync } from 'node:fs'
     process.on('SIGTERM', () => { appendFileSync(${JSON.stringify(seen)}, 'told\\n'); setTimeout(() => process.exit(3), 200) })
     setInterval(() => {}, 1000)
     appendFileSync(${JSON.stringify(seen)}, 'up\\n')`,
  )
  const ended = worker(contextWith(database), {}, root)
  await expect.poll(() => readFile(seen, 'utf8').catch(() => ''), { timeout: 60_000 }).toBe('up\n')
  process.emit('SIGTERM', 'SIGTERM')
  expect(await ended).toBe(3)
  expect(await readFile(seen, 'utf8')).toBe('up\ntold\n')
})

it('reports a missing DATABASE_URL and a missing build', async () => {
  await expect(worker(contextWith({}), {}, root)).rejects.toThrow('DATABASE_URL is not set.')
  await expect(worker(contextWith(database), {}, root)).rejects.toThrow('npm run build')
})
