import type { Profile, TokenSet } from 'next-auth'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import { z } from 'zod'
import { env } from '../../env'

/** A provider's profile with its verified addresses. */
type CheckedProfile = Profile & { verified_emails: string[] }

const checkedProfileSchema = z.object({ verified_emails: z.array(z.string()) })

/** Returns the addresses in a profile that its provider has verified. */
export function verifiedEmailsOf(profile: unknown): string[] {
  return checkedProfileSchema.safeParse(profile).data?.verified_emails ?? []
}

/** The external identity providers that the environment configures. */
export function externalProviders(): OAuthConfig<CheckedProfile>[] {
  const { GPUQ_GITHUB_ID, GPUQ_GITHUB_SECRET, GPUQ_OIDC_ISSUER, GPUQ_OIDC_ID, GPUQ_OIDC_SECRET } = env()
  const providers = []
  if (GPUQ_GITHUB_ID && GPUQ_GITHUB_SECRET) providers.push(github(GPUQ_GITHUB_ID, GPUQ_GITHUB_SECRET))
  if (GPUQ_OIDC_ISSUER && GPUQ_OIDC_ID) {
    providers.push(oidc(GPUQ_OIDC_ISSUER, GPUQ_OIDC_ID, GPUQ_OIDC_SECRET))
  }
  return providers
}

/** The providers for the sign-in page: id for next-auth, and label of the button. */
export function signInProviders(): { id: string; name: string }[] {
  return externalProviders().map(({ id, name }) => ({ id, name }))
}

/** Only the id is used; gpuq ignores the name in the profile. */
const profile = ({ sub = '' }: CheckedProfile) => ({ id: sub })

const githubUserSchema = z.object({ id: z.number() })
const githubEmailsSchema = z.array(z.object({ email: z.string(), verified: z.boolean() }))
const requestTimeoutMs = 10_000

function github(clientId: string, clientSecret: string): OAuthConfig<CheckedProfile> {
  return {
    id: 'github',
    name: 'GitHub',
    type: 'oauth',
    clientId,
    clientSecret,
    authorization: {
      url: 'https://github.com/login/oauth/authorize',
      params: { scope: 'read:user user:email' },
    },
    token: 'https://github.com/login/oauth/access_token',
    issuer: 'https://github.com/login/oauth',
    checks: ['pkce', 'state'],
    userinfo: {
      url: 'https://api.github.com/user',
      request: async ({ tokens }) => githubProfile(z.string().parse(tokens.access_token)),
    },
    profile,
  }
}

/**
 * The address in a GitHub profile is unverified, so this reads the list of addresses with their verification state.
 */
export async function githubProfile(accessToken: string): Promise<CheckedProfile> {
  const ask = async (path: string) => {
    const response = await fetch(`https://api.github.com${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/vnd.github+json' },
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    if (!response.ok)
      throw new Error(
        `GitHub responded with ${response.status} to ${path}. Try again later, or check the OAuth app's configuration.`,
      )
    return response.json()
  }
  const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails')])
  const verified = githubEmailsSchema.parse(emails).filter((entry) => entry.verified)
  return {
    sub: String(githubUserSchema.parse(user).id),
    verified_emails: verified.map(({ email }) => email),
  }
}

const oidcClaimsSchema = z.object({
  sub: z.string().min(1),
  email: z.string().optional(),
  // The standard requires a boolean; some providers send a string.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
})

type OidcClaims = z.output<typeof oidcClaimsSchema>

function oidc(
  issuer: string,
  clientId: string,
  clientSecret: string | undefined,
): OAuthConfig<CheckedProfile> {
  return {
    id: 'oidc',
    name: env().GPUQ_OIDC_NAME,
    type: 'oauth',
    wellKnown: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId,
    ...(clientSecret === undefined
      ? { client: { token_endpoint_auth_method: 'none' as const } }
      : { clientSecret }),
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    userinfo: {
      request: async ({ tokens, client }) => {
        const claims = oidcClaimsSchema.parse(claimsOf(tokens))
        if (claims.email !== undefined) return oidcProfile(claims)
        // Some providers return the address only from their userinfo endpoint.
        const userinfo = oidcClaimsSchema.parse(await client.userinfo(z.string().parse(tokens.access_token)))
        if (userinfo.sub !== claims.sub)
          throw new Error(
            'The userinfo endpoint returned a different user than the ID token. Check the configuration of the provider.',
          )
        return oidcProfile(userinfo)
      },
    },
    profile,
  }
}

/** The claims of the ID token, which openid-client has verified. */
function claimsOf(tokens: TokenSet): unknown {
  const { claims } = tokens
  if (typeof claims !== 'function')
    throw new Error('The provider sent no ID token. Check that it supports OpenID Connect.')
  return claims.call(tokens)
}

/** Uses the address only if the provider has verified it. */
export function oidcProfile({ sub, email, email_verified }: OidcClaims): CheckedProfile {
  return { sub, verified_emails: email !== undefined && email_verified === true ? [email] : [] }
}
