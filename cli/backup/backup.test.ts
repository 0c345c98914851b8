import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Context } from '../context'
import { fakeContext } from '../testing/fake-context'
import { backup, restore } from './backup'

/** A checkout whose program records its arguments and its environment. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-backup-command-'))
  await mkdir(join(root, 'deploy', 'run'), { recursive: true })
  await mkdir(join(root, 'dist'))
  await writeFile(join(root, 'package.json'), '{"type": "module"}')
  await copyFile('deploy/run/exit-with-parent.mjs', join(root, 'deploy', 'run', 'exit-with-parent.mjs'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const contextWith = (env: Record<string, string>): Context => ({
  ...fakeContext(() => new Response()),
  env: { NODE_ENV: 'test', PATH: process.env.PATH, ...env },
})

async function build(exitCode = 0): Promise<void> {
  const seen = JSON.stringify(join(root, 'seen'))
  await writeFile(
    join(root, 'dist', 'backup.js'),
    `import { writeFileSync } from 'node:fs'
     writeFileSync(${seen}, JSON.stringify([process.argv.slice(2), process.env.GPUQ_DATA_DIR]))
     process.exit(${exitCode})`,
  )
}
const seen = async () => JSON.parse(await readFile(join(root, 'seen'), 'utf8'))

it('passes the action, the file and the data directory to the program', async () => {
  await build()
  expect(await backup(contextWith({ GPUQ_DATA_DIR: '/srv/gpuq' }), 'b.tar.gz', {}, root)).toBe(0)
  expect(await seen()).toEqual([['create', resolve('b.tar.gz')], '/srv/gpuq'])
  expect(await restore(contextWith({}), '/b.tar.gz', { dataDir: '/new' }, root)).toBe(0)
  expect(await seen()).toEqual([['restore', '/b.tar.gz'], '/new'])
  expect(await backup(contextWith({}), '/b.tar.gz', {}, root)).toBe(0)
  expect(await seen()).toEqual([['create', '/b.tar.gz'], join(root, 'data')])
})

it('exits with the exit code of the program, and reports a missing build', async () => {
  await expect(backup(contextWith({}), 'b.tar.gz', {}, root)).rejects.toThrow('npm run build')
  await build(1)
  expect(await backup(contextWith({}), 'b.tar.gz', {}, root)).toBe(1)
})
