import { describe, expect, it } from 'vitest'
import { formatSnapshot, parseSnapshot, refuseSnapshot, snapshotNameSchema } from './snapshot-name'

describe('a snapshot reference', () => {
  it.each([
    ['code', { name: 'code', version: null }],
    ['code@3', { name: 'code', version: 3 }],
    ['data/cifar10', { name: 'data/cifar10', version: null }],
    ['data/cifar-10.v1_b@2147483647', { name: 'data/cifar-10.v1_b', version: 2_147_483_647 }],
  ])('%s is read, and written again', (text, expected) => {
    expect(parseSnapshot(text)).toEqual(expected)
    expect(formatSnapshot(expected)).toBe(text)
  })

  it.each([
    ['', 'is empty: write a name'],
    ['@1', 'is empty: write a name'],
    ['Code', 'must begin with a lower-case letter'],
    ['7z', 'must begin with a lower-case letter'],
    ['/code', 'must begin with a lower-case letter'],
    ['code/', 'two slashes in a row'],
    ['a//b', 'two slashes in a row'],
    ['a/../b', 'each part begins and ends'],
    ['code.', 'each part begins and ends'],
    ['code x', 'may have lower-case letters'],
    ['code\n', 'may have lower-case letters'],
    ['cöde', 'may have lower-case letters'],
    ['code@', 'version number after "@", such as code@1'],
    ['code@0', 'version number'],
    ['code@01', 'version number'],
    ['code@-1', 'version number'],
    ['code@1.5', 'version number'],
    ['code@latest', 'version number'],
    ['code@1@2', 'version number'],
    ['code@2147483648', 'version number'],
    ['a'.repeat(129), 'at most 128 characters'],
    ['a'.repeat(64), 'longer than 63 characters'],
    ['a/b/c/d/e/f/g/h/i', 'at most 8 parts'],
  ])('%j is refused', (text, message) => {
    expect(refuseSnapshot(text)).toContain(message)
    expect(parseSnapshot(text)).toBeNull()
  })

  it('is never a hash', () => {
    expect(parseSnapshot('abcdef'.repeat(11).slice(0, 64))).toBeNull()
  })

  it('has no version in a name', () => {
    expect(snapshotNameSchema.safeParse('code').success).toBe(true)
    expect(snapshotNameSchema.safeParse('code@1').success).toBe(false)
  })
})
