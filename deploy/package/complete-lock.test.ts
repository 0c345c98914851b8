import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { completePackages, missingOptional, platformOf } from './complete-lock.mjs'

describe('the lock file of this checkout', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')

  it('has an entry for each optional dependency, as npm ci requires (to repair: npm run lock)', () => {
    expect(missingOptional(JSON.parse(text).packages)).toEqual([])
  })

  it('names no registry', () => {
    expect(text).not.toContain('"resolved"')
  })
})

it.each([
  ['@next/swc-linux-x64-gnu', { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
  ['@biomejs/cli-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
  ['@next/swc-win32-arm64-msvc', { os: ['win32'], cpu: ['arm64'] }],
  ['@tailwindcss/oxide-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'] }],
  ['@tailwindcss/oxide-wasm32-wasi', { cpu: ['wasm32'] }],
  ['cpu-features', null],
])('derives the platform of %s', (name, platform) => {
  expect(platformOf(name)).toEqual(platform)
})

describe('completing a lock file', () => {
  const tool = { version: '1.0.0', dev: true, optionalDependencies: { 'tool-darwin-arm64': '1.0.0' } }

  it('adds what is missing and keeps the rest', () => {
    expect(completePackages({ 'node_modules/tool': tool })).toEqual({
      'node_modules/tool': tool,
      'node_modules/tool-darwin-arm64': {
        version: '1.0.0',
        cpu: ['arm64'],
        dev: true,
        optional: true,
        os: ['darwin'],
      },
    })
  })

  it('changes nothing when nothing is missing', () => {
    const packages = { 'node_modules/tool': tool, 'node_modules/tool/node_modules/tool-darwin-arm64': {} }
    expect(completePackages(packages)).toEqual(packages)
  })

  it('refuses a package without a platform in its name', () => {
    const packages = { 'node_modules/tool': { optionalDependencies: { extras: '1.0.0' } } }
    expect(() => completePackages(packages)).toThrow('package-lock.json lacks extras@1.0.0')
  })
})
