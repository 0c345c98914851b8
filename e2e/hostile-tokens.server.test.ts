import { expect, it } from 'vitest'
import { generateToken } from '@/lib/access/tokens/token-format'
import { expectProblem } from './expect-problem'
import { type Answer, bearer, call } from './http-call'
import { countStored, findStoredTexts } from './stored-data'
import { adminClient, createUser } from './test-users'
import { configText, formBody, formType, uploadParts } from './uploads'

/** Uploads with an invalid token, or with tokens that conflict. */

const code = 'print("never runs")'
const nothing = { jobs: 0, projects: 0, keys: 0 }

/** Sends a valid upload with a token in the header, the config, both or neither. */
function sendTokens(
  header: string | null,
  inConfig: string | null,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const text = configText({ ...more, ...(inConfig === null ? {} : { token: inConfig }) })
  return call('/api/submit?wait=false', {
    method: 'POST',
    headers: { 'content-type': formType, ...(header === null ? {} : { authorization: header }) },
    body: formBody(uploadParts(code, text)),
  })
}

it('an invalid token is rejected in every place', async () => {
  const owner = await createUser({ name: 'tokens' })
  const { tokens } = adminClient()
  const revoked = await tokens.create({ user_id: owner.handle, name: 'revoked' })
  await tokens.revoke(revoked.token_id)
  const expired = await tokens.create({ user_id: owner.handle, name: 'expired', expires_in_days: 1e-9 })
  const disabled = await createUser({ name: 'disabled' })
  await adminClient().users.update(disabled.handle, { disabled: true })
  const useless = [
    revoked.token,
    expired.token,
    disabled.token,
    generateToken(),
    `${owner.token}x`,
    'a',
    '%00',
  ]
  for (const token of useless) {
    expectProblem(await sendTokens(`Bearer ${token}`, null), 401, /^Invalid or expired token$/)
    expectProblem(await sendTokens(null, token), 401, /^Invalid or expired token$/)
  }
  for (const header of ['Bearer', 'Bearer ', `Basic ${btoa('a:b')}`, owner.token]) {
    expectProblem(await sendTokens(header, null), 401, /Bearer YOUR_TOKEN/)
  }
  expectProblem(await sendTokens(null, null), 401, /token/)
  for (const token of ['two words', 'a\0b', 'ü', '', 'x'.repeat(600)]) {
    expectProblem(await sendTokens(null, token), 422)
  }
  expect(await countStored(owner.handle)).toEqual(nothing)
  expect(await countStored(disabled.handle)).toEqual(nothing)
  expect(await findStoredTexts([...useless.slice(0, 4), owner.token])).toEqual([])
})

it('conflicting credentials are rejected', async () => {
  const [one, other] = [await createUser({ name: 'one' }), await createUser({ name: 'other' })]
  const header = `Bearer ${one.token}`
  const second = await adminClient().tokens.create({ user_id: one.handle, name: 'second' })
  expectProblem(await sendTokens(header, other.token), 401, /token/)
  expectProblem(await sendTokens(header, second.token), 401, /token/)
  expectProblem(
    await sendTokens(header, null, { user_id: other.handle }),
    403,
    /^Token does not belong to specified user_id$/,
  )
  expectProblem(
    await sendTokens(null, one.token, { user_id: other.handle }),
    403,
    /^Token does not belong to specified user_id$/,
  )
  const readOnly = await adminClient().tokens.create({ user_id: one.handle, name: 'reads', scopes: ['read'] })
  expectProblem(await sendTokens(`Bearer ${readOnly.token}`, null), 403, /submit/)
  expectProblem(await sendTokens(null, readOnly.token), 403, /submit/)
  const both = await call('/api/jobs', { headers: { ...bearer(one.token), 'x-auth-token': other.token } })
  expectProblem(both, 401, /different tokens/)
  for (const { handle } of [one, other]) expect(await countStored(handle)).toEqual(nothing)
})

it('a token works in every documented place and is stored in none', async () => {
  const owner = await createUser({
    name: 'places',
    limits: { submissions_per_minute: 99, max_active_jobs: 99 },
  })
  const body = formBody(uploadParts(code, configText({ user_id: owner.handle })))
  const withHeader = await call('/api/submit?wait=false', {
    method: 'POST',
    headers: { 'content-type': formType, 'x-auth-token': owner.token },
    body,
  })
  expect(withHeader.status).toBe(202)
  expect((await sendTokens(null, owner.token)).status).toBe(202)
  expect((await sendTokens(`bearer ${owner.token}`, owner.token)).status).toBe(202)
  expect(await findStoredTexts([owner.token])).toEqual([])
})
