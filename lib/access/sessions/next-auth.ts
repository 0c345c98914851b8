import type { NextAuthOptions, User } from 'next-auth'
import credentialsProvider from 'next-auth/providers/credentials'
import { z } from 'zod'
import { env } from '../../env'
import { logger } from '../../logger'
import { admitExternalAccount, externalAccountUser } from './external-accounts'
import { externalProviders, verifiedEmailsOf } from './external-providers'
import { actorOfSession, beginSession } from './session'
import {
  cookieName,
  cookieOptions,
  type SessionClaims,
  secureCookies,
  sessionClaimsSchema,
  sessionSeconds,
} from './session-cookie'
import { sessionSecret } from './session-secret'
import { signInWithPassword } from './sign-in'

/** Where next-auth sends people: gpuq has one page for it. */
const page = '/sign-in'

/** How next-auth works for gpuq. Sessions are signed tokens that are held against the user's row on every request. */
export async function authOptions(): Promise<NextAuthOptions> {
  setOwnAddress()
  return {
    secret: await sessionSecret(),
    useSecureCookies: secureCookies(),
    cookies: Object.fromEntries(
      [
        ['sessionToken', 'session'],
        ['callbackUrl', 'callback-url'],
        ['csrfToken', 'csrf-token'],
      ].map(([key, name = '']) => [key, { name: cookieName(name), options: cookieOptions() }]),
    ),
    session: { strategy: 'jwt', maxAge: sessionSeconds },
    jwt: { maxAge: sessionSeconds },
    pages: { signIn: page, signOut: page, error: page, verifyRequest: page },
    providers: [passwordProvider(), ...externalProviders()],
    callbacks,
    logger: {
      error: (code, metadata) => logError(code, metadata),
      warn: (code) => logger.debug({ code }, 'next-auth warns'),
      debug: () => {},
    },
  }
}

/**
 * next-auth takes its own address only from these variables. Where no public address is set, links lead to the host
 * that the browser asked for.
 */
function setOwnAddress(): void {
  const { GPUQ_URL } = env()
  if (GPUQ_URL) process.env.NEXTAUTH_URL = new URL(GPUQ_URL).origin
  else process.env.AUTH_TRUST_HOST = 'true'
}

/** Its text is what the sign-in page shows. */
const throttled = 'Too many wrong passwords for this account. Wait 15 minutes and try again.'

function passwordProvider() {
  return credentialsProvider({
    name: 'Password',
    credentials: { login: {}, password: {} },
    async authorize(credentials): Promise<(User & { session: SessionClaims }) | null> {
      const check = await signInWithPassword(credentials)
      if (check.verdict === 'throttled') throw new Error(throttled)
      return check.verdict === 'right' ? { id: check.session.sub, session: check.session } : null
    },
  })
}

const signedInSchema = z.object({ session: sessionClaimsSchema })

const callbacks: NonNullable<NextAuthOptions['callbacks']> = {
  async signIn({ account, profile }) {
    if (account?.type !== 'oauth') return account?.type === 'credentials'
    const { provider, providerAccountId } = account
    const admitted = await admitExternalAccount({
      provider,
      providerAccountId,
      verifiedEmails: verifiedEmailsOf(profile),
    })
    return admitted !== null
  },

  /** Without an account it is a session being looked at: next-auth drops the cookie of one that this refuses. */
  async jwt({ token, user, account }) {
    if (account?.type === 'credentials') return { ...signedInSchema.parse(user).session }
    const claims = account
      ? await sessionOfOutsideAccount(account)
      : (sessionClaimsSchema.safeParse(token).data ?? null)
    if (!claims || !(await actorOfSession(claims))) throw new SessionOver()
    return { ...claims }
  },

  redirect({ url, baseUrl }) {
    if (!URL.canParse(url, baseUrl)) return baseUrl
    const goal = new URL(url, baseUrl)
    return goal.origin === baseUrl ? goal.href : baseUrl
  },
}

async function sessionOfOutsideAccount(account: {
  provider: string
  providerAccountId: string
}): Promise<SessionClaims | null> {
  const userId = await externalAccountUser(account.provider, account.providerAccountId)
  return userId === null ? null : beginSession(userId)
}

class SessionOver extends Error {
  constructor() {
    super('This session is over.')
    this.name = 'SessionOver'
  }
}

/** Only the message is logged: what next-auth hands over may hold a provider's tokens. */
function logError(code: string, metadata: Error | { error: Error }): void {
  const error = metadata instanceof Error ? metadata : metadata.error
  const level = code === 'JWT_SESSION_ERROR' ? 'debug' : 'warn'
  logger[level]({ code, reason: error?.message }, 'sign-in failed')
}
