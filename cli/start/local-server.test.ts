import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exitCodes } from '../job/exit-code'
import { describeError } from '../terminal/describe-error'
import { findRoot } from './local-server'

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
  expect(text).toContain('In a checkout of gpuq run `npm ci`')
  expect(text.includes('GPUQ_SERVER')).toBe(command === 'start')
})
