import { expect, it, vi } from 'vitest'
import { decryptKeys, encryptKeys } from './encrypt-keys'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))

const keys = { accessKeyId: 'an-id', secretAccessKey: 'a-secret' }

it('encrypts the keys of a bucket differently each time, and decrypts them', async () => {
  const [one, other] = [await encryptKeys('a', keys), await encryptKeys('a', keys)]
  expect(one).not.toEqual(other)
  expect(one.toString('latin1')).not.toContain('a-secret')
  expect(await decryptKeys('a', one)).toEqual(keys)
  expect(await decryptKeys('a', other)).toEqual(keys)
})

it('refuses keys that were changed, cut off, or belong to another bucket', async () => {
  const stored = await encryptKeys('a', keys)
  expect(await decryptKeys('b', stored)).toBeNull()
  expect(await decryptKeys('a', stored.subarray(0, 20))).toBeNull()
  expect(await decryptKeys('a', Buffer.alloc(0))).toBeNull()
  for (const at of [0, 12, stored.length - 1]) {
    const changed = Buffer.from(stored)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(await decryptKeys('a', changed)).toBeNull()
  }
})
