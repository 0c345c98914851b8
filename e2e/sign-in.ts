import type { BrowserContext } from '@playwright/test'
import { type Answer, call } from './http-call'
import { theSystem } from './system/the-system'
import type { TestUser } from './test-users'

type Credentials = Pick<TestUser, 'handle' | 'password'>

/** Sends the request of the sign-in form, with cookies of an earlier sign-in. */
export async function postCredentials(
  { handle, password }: Credentials,
  headers: Record<string, string> = {},
  earlier = '',
): Promise<Answer> {
  const csrf = await call('/api/auth/csrf')
  const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string }
  const form = new URLSearchParams({ csrfToken, login: handle, password, json: 'true' })
  return call('/api/auth/callback/credentials', {
    method: 'POST',
    headers: {
      cookie: [earlier, cookiesOf(csrf)].filter(Boolean).join('; '),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: form.toString(),
  })
}

/** Signs in and returns the `Cookie` header. */
export async function sessionCookie(person: Credentials): Promise<string> {
  const answer = await postCredentials(person)
  const cookies = cookiesOf(answer)
  if (!cookies.includes('gpuq-session='))
    throw new Error(`${person.handle} could not sign in: ${answer.text}`)
  return cookies
}

/** Signs in a browser without the form, which has its own test. */
export async function signIn(context: BrowserContext, person: Credentials): Promise<void> {
  const cookies = (await sessionCookie(person)).split('; ').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return { name, value, url: theSystem().url, httpOnly: true, sameSite: 'Lax' as const }
  })
  await context.addCookies(cookies)
}

function cookiesOf({ headers }: Answer): string {
  return (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ')
}
