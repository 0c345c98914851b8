import { text } from 'node:stream/consumers'
import type { Token } from '@/lib/contract/access/access'
import { describeLimits } from '@/lib/contract/access/describe-limits'
import { scopes } from '@/lib/contract/access/roles'
import { conflict, invalidRequest, notFound } from '@/lib/contract/errors'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import { configFile, parseServer, readStored, removeStored, requireToken, writeStored } from '../config'
import { ask } from '../console/ask'
import { formatDuration, formatWhen } from '../console/format'
import type { Column } from '../console/table'
import { type Context, print, printList, writeText } from '../context'
import { readPages } from '../job/read-pages'

const usualServer = 'http://localhost:8001'

/** Asks for missing values, checks the token with the server, and stores both for this user only. */
export async function login(
  context: Context,
  { server: given, tokenStdin = false }: { server?: string; tokenStdin?: boolean },
): Promise<number> {
  const known = given ?? context.env.GPUQ_SERVER ?? (await readStored(context.env)).server
  if (!tokenStdin && !process.stdin.isTTY) {
    throw invalidRequest('Cannot ask for a token without a terminal. Use --token-stdin.')
  }
  const server = parseServer(
    given ??
      (tokenStdin
        ? (known ?? usualServer)
        : await ask(`Server [${known ?? usualServer}]: `, known ?? usualServer)),
  )
  const token = (tokenStdin ? await text(process.stdin) : await ask('Token (hidden): ', '', true)).trim()
  if (token === '') throw invalidRequest("The token is empty. Create one on the server's Tokens page.")
  requireToken(token)
  const user = await readUserId(await context.connectTo({ server, token }))
  const path = await writeStored(context.env, {
    server,
    token,
    tokens: await otherTokens(context.env, server),
  })
  return writeText(
    context,
    `Logged in to ${server}${user === null ? '' : ` as ${user}`}. Token stored in ${path}.\n`,
  )
}

/** The user of a token. Null: the token is valid and may not read it, as the token of a class. @throws if it is not valid. */
async function readUserId({ users }: Pick<Client, 'users'>): Promise<string | null> {
  return users.me().then(
    ({ user_id }) => user_id,
    (error: unknown) => {
      if (error instanceof ProblemError && error.status === 403) return null
      throw error
    },
  )
}

/** Keeps the tokens of other servers, including the previous one. A damaged file must not prevent a login. */
async function otherTokens(env: NodeJS.ProcessEnv, server: string): Promise<Record<string, string>> {
  const before: Awaited<ReturnType<typeof readStored>> = await readStored(env).catch(() => ({}))
  const last = before.server && before.token ? { [before.server]: before.token } : {}
  return Object.fromEntries(
    Object.entries({ ...before.tokens, ...last }).filter(([address]) => address !== server),
  )
}

/** Removes the stored token. It stays valid on the server until it is revoked. */
export async function logout(context: Context): Promise<number> {
  const had = await removeStored(context.env)
  const path = configFile(context.env)
  return writeText(context, had ? `Logged out. Removed ${path}.\n` : 'You are not logged in.\n')
}

export async function listTokens(context: Context, { json }: { json?: boolean }): Promise<number> {
  const now = Date.now()
  const columns: Column<Token>[] = [
    { title: 'ID', cell: (token) => token.token_id },
    { title: 'NAME', cell: (token) => token.name, long: true },
    { title: 'PREFIX', cell: (token) => token.hint },
    {
      title: 'SCOPES',
      cell: ({ scopes: granted, limits }) => `${granted.join(' ')}${limits ? ' (agent)' : ''}`,
      long: true,
    },
    { title: 'LAST USED', cell: (token) => formatWhen(token.last_used_at, now) ?? 'never' },
    {
      title: 'EXPIRES',
      cell: (token) => (token.revoked_at ? 'revoked' : (formatWhen(token.expires_at, now) ?? 'never')),
      colour: (token) => (token.revoked_at ? 'red' : null),
    },
    {
      title: 'LIMITS',
      cell: ({ limits }) => (limits && describeLimits(limits, formatDuration).join(', ')) || null,
      long: true,
    },
  ]
  return printList(context, json, await readTokens(context), columns, 'You have no tokens.')
}

/** Prints only the new token to stdout, so that a script can read it. The token is shown only once. */
export async function createToken(
  context: Context,
  name: string,
  { scope, expires, json }: { scope?: string[]; expires?: number | null; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const created = await client.tokens.create({
    name,
    scopes: scope?.map(parseScope),
    expires_in_days: expires,
  })
  return print(context, json, created, `${created.token}\n`)
}

export async function revokeToken(context: Context, given: string): Promise<number> {
  const token = await findToken(context, given)
  const client = await context.connect()
  await client.tokens.revoke(token.token_id)
  return writeText(context, `Revoked token ${token.name}.\n`)
}

/** Finds one of the caller's tokens by the start of its id. */
export async function findToken(context: Context, given: string): Promise<Token> {
  const found = (await readTokens(context)).filter(({ token_id }) => token_id.startsWith(given.toLowerCase()))
  const [token] = found
  if (!token)
    throw notFound(`You have no token whose id starts with ${given}. List your tokens with \`gpuq tokens\`.`)
  if (found.length > 1) throw conflict(`${found.length} token ids start with ${given}. Give a longer prefix.`)
  return token
}

async function readTokens(context: Context): Promise<Token[]> {
  const client = await context.connect()
  return readPages(Number.POSITIVE_INFINITY, (query) => client.tokens.list(query))
}

function parseScope(given: string): (typeof scopes)[number] {
  const found = scopes.find((scope) => scope === given)
  if (found) return found
  throw invalidRequest(`"${given}" is not a valid scope. Use one of: ${scopes.join(', ')}.`)
}
