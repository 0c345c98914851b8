import type { Account, NextAuthOptions, User } from 'next-auth'
import credentialsProvider from 'next-auth/providers/credentials'
import { z } from 'zod'
import { database } from '../../database/client'
import { env } from '../../env'
import { logger } from '../../logger'
import { externalAccountUser, signInExternalAccount } from './external-accounts'
import { externalProviders, verifiedEmailsOf } from './external-providers'
import { actorOfSession, beginSession } from './session'
import type { SignInClient } from './session-client'
import {
  cookieName,
  cookieOptions,
  type SessionClaims,
  secureCookies,
  sessionClaimsSchema,
  sessionSeconds,
} from './session-cookie'
import { sessionSecret } from './session-secret'
import { signOutSession } from './sessions'
import { signInWithPassword } from './sign-in'
import { describeThrottling } from './sign-in-throttle'

/** The page for all next-auth redirects. */
const page = '/sign-in'

/**
 * The next-auth configuration. Sessions are signed tokens that are checked against the session's row on every
 * request. `client` describes the browser to which a new session belongs. Calls `onSignIn` with the id of a user who has
 * just signed in.
 */
export async function authOptions(
  client: SignInClient,
  onSignIn: (userId: string) => void = () => {},
): Promise<NextAuthOptions> {
  setOwnAddress()
  return {
    secret: await sessionSecret(),
    useSecureCookies: secureCookies(),
    cookies: {
      sessionToken: { name: cookieName('session'), options: cookieOptions() },
      callbackUrl: { name: cookieName('callback-url'), options: cookieOptions() },
      csrfToken: { name: cookieName('csrf-token'), options: cookieOptions() },
    },
    session: { strategy: 'jwt', maxAge: sessionSeconds },
    jwt: { maxAge: sessionSeconds },
    pages: { signIn: page, signOut: page, error: page, verifyRequest: page },
    providers: [passwordProvider(client), ...externalProviders()],
    callbacks: callbacks(client, onSignIn),
    events: { signOut: ({ token }) => endSignedOut(token) },
    logger: {
      error: (code, metadata) => logError(code, metadata),
      warn: (code) => logger.debug({ code }, 'next-auth warning'),
      debug: () => {},
    },
  }
}

/**
 * next-auth reads its own address only from these variables. Without a public address, links use the host of the
 * request.
 */
function setOwnAddress(): void {
  const { GPUQ_URL } = env()
  if (GPUQ_URL) process.env.NEXTAUTH_URL = new URL(GPUQ_URL).origin
  else process.env.AUTH_TRUST_HOST = 'true'
}

function passwordProvider(client: SignInClient) {
  return credentialsProvider({
    name: 'Password',
    credentials: { login: {}, password: {} },
    async authorize(credentials): Promise<(User & { session: SessionClaims }) | null> {
      const check = await signInWithPassword(credentials, client)
      // The sign-in page shows the message.
      if (check.verdict === 'throttled') throw new Error(describeThrottling(check.waitS))
      return check.verdict === 'right' ? { id: check.value.sub, session: check.value } : null
    },
  })
}

const signedInSchema = z.object({ session: sessionClaimsSchema })

const callbacks = (
  client: SignInClient,
  onSignIn: (userId: string) => void,
): NonNullable<NextAuthOptions['callbacks']> => ({
  async signIn({ account, profile }) {
    if (account?.type !== 'oauth') return account?.type === 'credentials'
    const { provider, providerAccountId } = account
    const verifiedEmails = verifiedEmailsOf(profile)
    return (await signInExternalAccount({ provider, providerAccountId, verifiedEmails })) !== null
  },

  /** Without an account this call validates a session. next-auth deletes the cookie if it throws. */
  async jwt({ token, user, account }) {
    const claims = account
      ? await newSession({ account, user }, client)
      : sessionClaimsSchema.safeParse(token).data
    if (!claims || !(await actorOfSession(claims))) {
      throw new Error('This session has ended. Sign in again.')
    }
    if (account) onSignIn(claims.sub)
    return { ...claims }
  },

  redirect({ url, baseUrl }) {
    if (!URL.canParse(url, baseUrl)) return baseUrl
    const target = new URL(url, baseUrl)
    return target.origin === baseUrl ? target.href : baseUrl
  },
})

/** The password check has already started the session of its user. */
async function newSession(
  { account, user }: { account: Account; user: User },
  client: SignInClient,
): Promise<SessionClaims | null> {
  if (account.type === 'credentials') return signedInSchema.parse(user).session
  const userId = await externalAccountUser(account.provider, account.providerAccountId)
  return userId === null ? null : beginSession(database().pool, { userId }, client)
}

/** Ends the session of the cookie that next-auth is about to delete. A cookie of an earlier version has none. */
async function endSignedOut(token: unknown): Promise<void> {
  const claims = sessionClaimsSchema.safeParse(token).data
  if (claims) await signOutSession(claims)
}

/** Logs only the message, because the error object may contain a provider's tokens. */
function logError(code: string, metadata: Error | { error: Error }): void {
  const error = metadata instanceof Error ? metadata : metadata.error
  const level = code === 'JWT_SESSION_ERROR' ? 'debug' : 'warn'
  logger[level]({ code, reason: error?.message }, 'sign-in failed')
}
