import type { NextApiRequest, NextApiResponse } from 'next'
import type { Account } from 'next-auth'
import NextAuth from 'next-auth'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { testDatabase } from '../../database/testing/test-database'
import { makePerson, someClient } from '../testing/people'
import { signInExternalAccount } from './external-accounts'
import { githubProfile, oidcProfile, signInProviders, verifiedEmailsOf } from './external-providers'
import { authOptions } from './next-auth'
import { sessionUser } from './session'
import { freeFailures } from './sign-in-throttle'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_GITHUB_ID', 'github-id')
  vi.stubEnv('GPUQ_GITHUB_SECRET', 'github-secret')
  vi.stubEnv('GPUQ_OIDC_ISSUER', 'https://id.example.org')
  vi.stubEnv('GPUQ_OIDC_ID', 'oidc-id')
})
const db = testDatabase()

interface Visit {
  action: string[]
  method?: string
  body?: Record<string, string>
  cookies?: Record<string, string>
}

/** Calls next-auth through its handler for plain Node requests, and collects the response. */
async function visit({ action, method = 'GET', body, cookies = {} }: Visit) {
  const headers = new Map<string, string | string[]>()
  let answered: unknown
  const answer = (value: unknown) => {
    answered = value
  }
  const response = {
    status: () => response,
    setHeader: (name: string, value: string | string[]) => void headers.set(name.toLowerCase(), value),
    getHeader: (name: string) => headers.get(name.toLowerCase()),
    json: answer,
    send: answer,
    end: () => {},
  }
  const request = {
    query: { nextauth: action },
    method,
    body,
    cookies,
    headers: { host: 'localhost:8001', 'x-forwarded-proto': 'http' },
  }
  await NextAuth(
    request as unknown as NextApiRequest,
    response as unknown as NextApiResponse,
    await authOptions(someClient),
  )
  const set = [headers.get('set-cookie') ?? []].flat().map((line) => line.split(';')[0] ?? '')
  return {
    answered,
    cookies: Object.fromEntries(
      set.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  }
}

/** Signs in like a browser: reads the CSRF token, then posts the form. */
async function signIn(login: string, password: string, withCsrf = true) {
  const { answered, cookies } = await visit({ action: ['csrf'] })
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(answered)
  const decoded = Object.fromEntries(
    Object.entries(cookies).map(([name, value]) => [name, decodeURIComponent(value)]),
  )
  const result = await visit({
    action: ['callback', 'credentials'],
    method: 'POST',
    cookies: decoded,
    body: {
      login,
      password,
      json: 'true',
      callbackUrl: 'https://evil.example/',
      ...(withCsrf ? { csrfToken } : {}),
    },
  })
  const { url } = z.object({ url: z.url() }).parse(result.answered)
  return { url: new URL(url), session: result.cookies['gpuq-session'] }
}

const withSession = (value: string) =>
  new Request('http://localhost:8001/', { headers: { cookie: `gpuq-session=${value}` } })

describe('sign-in through next-auth', () => {
  it('starts a session and redirects only within gpuq', async () => {
    const { id, handle, password } = await makePerson()
    const { url, session = '' } = await signIn(handle, password)
    expect(url.href).toBe('http://localhost:8001/')
    expect(await sessionUser(withSession(session))).toMatchObject({ userId: id })
  })

  it('ends the session on sign-out, so that the old cookie is worth nothing', async () => {
    const { handle, password } = await makePerson()
    const [{ session = '' }, elsewhere] = [await signIn(handle, password), await signIn(handle, password)]
    const { answered, cookies } = await visit({ action: ['csrf'] })
    const { csrfToken } = z.object({ csrfToken: z.string() }).parse(answered)
    const csrf = decodeURIComponent(cookies['gpuq-csrf-token'] ?? '')
    const signOut = (token: string) =>
      visit({
        action: ['signout'],
        method: 'POST',
        cookies: { 'gpuq-csrf-token': csrf, 'gpuq-session': session },
        body: { csrfToken: token, json: 'true' },
      })
    await signOut('forged')
    expect(await sessionUser(withSession(session))).not.toBeNull()
    expect((await signOut(csrfToken)).cookies['gpuq-session']).toBe('')
    expect(await sessionUser(withSession(session))).toBeNull()
    expect(await sessionUser(withSession(elsewhere.session ?? ''))).not.toBeNull()
  })

  it('starts no session with a wrong password or without the CSRF token', async () => {
    const { handle, password } = await makePerson()
    const wrong = await signIn(handle, 'not the password')
    expect(wrong.session).toBeUndefined()
    expect(wrong.url.searchParams.get('error')).toBe('CredentialsSignin')
    expect((await signIn(handle, password, false)).session).toBeUndefined()
  })

  it('shows a message after too many attempts', async () => {
    const { handle } = await makePerson()
    for (let i = 0; i < freeFailures; i++) await signIn(handle, 'not the password')
    const { url } = await signIn(handle, 'not the password')
    expect(url.searchParams.get('error')).toMatch(/^Too many wrong passwords\. Wait 1 second/)
  })

  it('reports and deletes a session that has ended', async () => {
    const { id, handle, password } = await makePerson()
    const { session = '' } = await signIn(handle, password)
    const look = () => visit({ action: ['session'], cookies: { 'gpuq-session': session } })
    expect((await look()).answered).toHaveProperty('expires')
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
    const after = await look()
    expect(after.answered).toEqual({})
    expect(after.cookies['gpuq-session']).toBe('')
  })
})

const github = (id: string): Account => ({ provider: 'github', providerAccountId: id, type: 'oauth' })

async function enter(account: Account, verifiedEmails: string[]) {
  const { callbacks } = await authOptions(someClient)
  const user = { id: account.providerAccountId }
  const profile = { sub: account.providerAccountId, verified_emails: verifiedEmails }
  if (!(await callbacks?.signIn?.({ user, account, profile }))) return null
  return callbacks?.jwt?.({ token: { sub: user.id, name: 'n' }, user, account })
}

describe('sign-in through an external provider', () => {
  it('accepts a known user by a verified address, and by the account afterwards', async () => {
    const { id, email } = await makePerson()
    const session = { sub: id, sid: expect.any(String) }
    expect(await enter(github('1'), ['other@example.org', email.toUpperCase()])).toEqual(session)
    expect(await enter(github('1'), [])).toEqual(session)
    const { rows } = await db.pool.query('SELECT action FROM audit_events WHERE actor_id = $1 ORDER BY id', [
      id,
    ])
    expect(rows.map(({ action }) => action)).toEqual(['account_linked', 'sign_in', 'sign_in'])
  })

  it('refuses unknown accounts and disabled users, with an audit event', async () => {
    const { id, email } = await makePerson()
    await enter(github('2'), [email])
    await db.pool.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id])
    expect(await enter(github('2'), [email])).toBeNull()
    expect(await enter(github('3'), [email])).toBeNull()
    expect(await enter(github('4'), ['stranger@example.org'])).toBeNull()
    expect(await enter(github('5'), [])).toBeNull()
    const { rowCount } = await db.pool.query(
      "SELECT 1 FROM audit_events WHERE action = 'sign_in_refused' AND target = 'stranger@example.org'",
    )
    expect(rowCount).toBe(1)
  })

  it('does not choose between two users', async () => {
    const [one, other] = [await makePerson(), await makePerson()]
    expect(await enter(github('6'), [one.email, other.email])).toBeNull()
  })

  it('links an account once for concurrent sign-ins', async () => {
    const { id, email } = await makePerson()
    const account = { provider: 'oidc', providerAccountId: 'many', verifiedEmails: [email] }
    const users = await Promise.all(Array.from({ length: 20 }, () => signInExternalAccount(account)))
    expect(new Set(users)).toEqual(new Set([id]))
  })

  it('uses only addresses that the provider has verified', () => {
    const claims = { sub: 'a', email: 'a@example.org' }
    expect(verifiedEmailsOf(oidcProfile({ ...claims, email_verified: true }))).toEqual(['a@example.org'])
    expect(verifiedEmailsOf(oidcProfile({ ...claims, email_verified: false }))).toEqual([])
    expect(verifiedEmailsOf(oidcProfile(claims))).toEqual([])
    expect(verifiedEmailsOf({ email: 'a@example.org', email_verified: true })).toEqual([])
  })

  it('is offered if the environment configures it', () => {
    expect(signInProviders()).toEqual([
      { id: 'github', name: 'GitHub' },
      { id: 'oidc', name: 'Single sign-on' },
    ])
  })

  it('asks GitHub which addresses are verified', async () => {
    const answers: Record<string, unknown> = {
      'https://api.github.com/user': { id: 42, email: 'public@example.org' },
      'https://api.github.com/user/emails': [
        { email: 'checked@example.org', verified: true, primary: false },
        { email: 'claimed@example.org', verified: false, primary: true },
      ],
    }
    vi.stubGlobal('fetch', async (url: string) => Response.json(answers[url]))
    const profile = await githubProfile('a secret')
    vi.unstubAllGlobals()
    expect(profile).toEqual({ sub: '42', verified_emails: ['checked@example.org'] })
  })
})
