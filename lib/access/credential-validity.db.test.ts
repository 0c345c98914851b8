import { describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../database/testing/test-database'
import { isCredentialValid } from './credential-validity'
import { makePerson, makeToken } from './testing/people'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

describe('the credential of an actor', () => {
  it('is valid until its token is revoked or expires', async () => {
    const person = await makePerson()
    const { actor, tokenId } = await makeToken(person)
    const { actor: short } = await makeToken(person, ['read'], '0 seconds')
    expect([
      await isCredentialValid(actor),
      await isCredentialValid(person.actor),
      await isCredentialValid(short),
    ]).toEqual([true, true, false])
    await db.pool.query('UPDATE api_tokens SET revoked_at = now() WHERE id = $1', [tokenId])
    expect([await isCredentialValid(actor), await isCredentialValid(person.actor)]).toEqual([false, true])
  })

  it('is valid until its session ends', async () => {
    const { actor } = await makePerson()
    expect(await isCredentialValid(actor)).toBe(true)
    await db.pool.query('DELETE FROM sessions WHERE id = $1', [actor.sessionId])
    expect(await isCredentialValid(actor)).toBe(false)
  })

  it('is valid until its user is disabled', async () => {
    const person = await makePerson()
    const { actor } = await makeToken(person)
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [person.id])
    expect([await isCredentialValid(actor), await isCredentialValid(person.actor)]).toEqual([false, false])
  })
})
