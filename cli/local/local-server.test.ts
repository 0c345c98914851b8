import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeError } from '../console/describe-error'
import { exitCodes } from '../job/exit-code'
import { findRoot, sharedBy } from './local-server'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gpuq-root-'))
  mkdirSync(join(root, 'dist', 'cli'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

it('finds the checkout that contains the program', () => {
  mkdirSync(join(root, 'deploy', 'run'), { recursive: true })
  writeFileSync(join(root, 'deploy', 'run', 'start.mjs'), '')
  expect(findRoot('start', join(root, 'dist', 'cli'))).toBe(root)
})

it.each(['start', 'worker'] as const)('explains what gpuq %s needs outside of a checkout', (command) => {
  let thrown: unknown
  try {
    findRoot(command, join(root, 'dist', 'cli'))
  } catch (error) {
    thrown = error
  }
  const { text, exitCode } = describeError(thrown, null)
  expect(exitCode).toBe(exitCodes.usage)
  expect(text.startsWith(`gpuq: \`gpuq ${command}\` needs `)).toBe(true)
  expect(text).toContain('Clone gpuq, and use the program `gpuq` of the clone')
  expect(text.includes('GPUQ_SERVER')).toBe(command === 'start')
})

it('names the variable with which others may use the server', () => {
  const of = (env: Record<string, string>) => sharedBy({ NODE_ENV: 'test', ...env })
  expect([of({}), of({ HOST: '127.0.0.1' }), of({ HOST: 'localhost', GPUQ_URL: '' })]).toEqual([
    null,
    null,
    null,
  ])
  expect(of({ HOST: '0.0.0.0' })).toBe('HOST')
  for (const name of ['GPUQ_URL', 'GPUQ_TRUSTED_PROXIES', 'GPUQ_WORKSPACES', 'DATABASE_URL'])
    expect(of({ [name]: 'x' })).toBe(name)
})
