import { toProblem, unreachable } from '@/lib/http/client/problem'

/*
 * The requests of next-auth's sign-in. Its own client is written for old browsers and is ten times as large, and every page
 * would load it.
 */
const base = '/api/auth'

interface AuthAnswer {
  ok: boolean
  /** Where next-auth would send the browser. */
  url: URL
}

/** A POST with next-auth's token against requests from other sites. @throws ProblemError */
async function post(path: string, values: Record<string, string>): Promise<AuthAnswer> {
  const { body: token } = await send('csrf')
  const form = new URLSearchParams({ ...values, csrfToken: String(token.csrfToken), json: 'true' })
  const { ok, body } = await send(path, { method: 'post', body: form })
  return { ok, url: new URL(String(body.url), window.location.href) }
}

/** The answer, which also a refused sign-in has. @throws ProblemError if none comes, or it is not of next-auth. */
async function send(
  path: string,
  init?: RequestInit,
): Promise<{ ok: boolean; body: Record<string, unknown> }> {
  const response = await fetch(`${base}/${path}`, init).catch((error: unknown) => {
    throw unreachable(error)
  })
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  if (isObject(body) && ('url' in body || 'csrfToken' in body)) return { ok: response.ok, body }
  throw await toProblem(response)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export interface Credentials {
  login: string
  password: string
}

/**
 * Starts a session in this browser. Returns next-auth's error, which is a code or a message; null: signed in.
 * @throws ProblemError if the server does not answer or refuses the request.
 */
export async function signIn(credentials: Credentials): Promise<string | null> {
  const { ok, url } = await post('callback/credentials', {
    ...credentials,
    callbackUrl: window.location.href,
  })
  const error = url.searchParams.get('error')
  return ok && error === null ? null : (error ?? 'Default')
}

/** Opens the sign-in page of an external provider, which leads back to a page of this site. @throws ProblemError */
export async function openProvider(provider: string, callbackUrl: string): Promise<void> {
  const { url } = await post(`signin/${encodeURIComponent(provider)}`, { callbackUrl })
  window.location.assign(url)
}

/** Ends the session in this browser. @throws ProblemError */
export async function signOut(): Promise<void> {
  await post('signout', { callbackUrl: window.location.href })
}
