import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CondaEnvironments } from './conda-environments'

let root = ''
const at = (...parts: string[]) => join(root, ...parts)

/** Creates a stand-in for an environment: the files by which conda recognizes one. */
async function make(path: string, python = true): Promise<void> {
  for (const name of ['conda-meta', 'bin']) await mkdir(at(path, name), { recursive: true })
  await writeFile(at(path, 'conda-meta/history'), '')
  if (python) await writeFile(at(path, 'bin/python'), '')
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-conda-'))
  for (const path of [
    'base',
    'base/envs/torch',
    'more/jax',
    'more/torch',
    'alone/rare',
    'one/twin',
    'two/twin',
  ])
    await make(path)
  await make('base/envs/bare', false)
  await mkdir(at('base/envs/no-environment'))
  await mkdir(at('home/.conda'), { recursive: true })
  const listed = ['alone/rare', 'one/twin', 'two/twin', 'deleted/gone'].map((path) => at(path))
  await writeFile(at('home/.conda/environments.txt'), `${listed.join('\n')}\n`)
  await mkdir(at('programs'))
  const info = { root_prefix: at('base'), envs: [at('base')], envs_dirs: [at('base/envs')] }
  await writeFile(at('programs/conda'), `#!/bin/sh\necho '${JSON.stringify(info)}'\n`)
  await chmod(at('programs/conda'), 0o755)
})
afterAll(() => rm(root, { recursive: true, force: true }))

const env = (more: Record<string, string>): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  HOME: at('home'),
  PATH: '/usr/bin:/bin',
  ...more,
})
const withConda = () => new CondaEnvironments(env({ PATH: `${at('programs')}:/usr/bin:/bin` }))

it.each([
  ['', 'base'],
  ['base', 'base'],
  ['torch', 'base/envs/torch'],
  ['rare', 'alone/rare'],
])('conda itself names the directories: %s', async (name, path) => {
  expect(await withConda().find(name)).toEqual({ kind: 'found', prefix: at(path) })
})

it('CONDA_EXE names the program, and CONDA_ENVS_PATH more directories, which come first', async () => {
  const found = new CondaEnvironments(env({ CONDA_EXE: at('programs/conda'), CONDA_ENVS_PATH: at('more') }))
  expect(await found.find('jax')).toEqual({ kind: 'found', prefix: at('more/jax') })
  expect(await found.find('torch')).toEqual({ kind: 'found', prefix: at('more/torch') })
})

it('works without the program, and without any conda', async () => {
  const found = new CondaEnvironments(env({ CONDA_ENVS_PATH: at('more') }))
  expect(await found.find('jax')).toEqual({ kind: 'found', prefix: at('more/jax') })
  expect(await found.find('')).toMatchObject({ kind: 'none' })
  const without = new CondaEnvironments(env({ HOME: at('nowhere') }))
  expect(await without.find('torch')).toEqual({ kind: 'none', known: [] })
})

it('names the environments that exist', async () => {
  expect(await withConda().find('tensorflow')).toEqual({
    kind: 'none',
    known: ['bare', 'rare', 'torch', 'twin'],
  })
})

it.each([
  ['bare', /bare has no bin\/python: run `conda install/],
  ['twin', /several .* the path of one of .*one\/twin, .*two\/twin/],
  ['/nowhere/env', /is not a conda environment/],
])('says why %s cannot be used', async (name, message) => {
  expect(await withConda().find(name)).toEqual({ kind: 'wrong', message: expect.stringMatching(message) })
})

it('takes a path, which selects one of several', async () => {
  expect(await withConda().find(at('two/twin'))).toEqual({ kind: 'found', prefix: at('two/twin') })
})
