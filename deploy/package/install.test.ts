import { describe, expect, it } from 'vitest'
import { isInstalled } from './install.mjs'

const next = { version: '16.4.6', integrity: 'sha512-a' }
const windows = { version: '1.0.0', integrity: 'sha512-w', optional: true }

describe('whether packages are installed', () => {
  it('requires the locked versions, except for packages of other platforms', () => {
    const wanted = { '': {}, 'node_modules/next': next, 'node_modules/windows-only': windows }
    expect(isInstalled(wanted, { 'node_modules/next': next })).toBe(true)
  })

  it('accepts a package whose integrity the lock file does not state', () => {
    const wanted = { 'node_modules/next': { version: next.version } }
    expect(isInstalled(wanted, { 'node_modules/next': next })).toBe(true)
  })

  it.each([
    ['a missing package', {}],
    ['another version', { 'node_modules/next': { ...next, version: '16.4.5' } }],
    ['another content', { 'node_modules/next': { ...next, integrity: 'sha512-b' } }],
  ])('notices %s', (_, installed) => {
    expect(isInstalled({ 'node_modules/next': next }, installed)).toBe(false)
  })
})
