import { randomBytes } from 'node:crypto'
import { sleep } from '@/lib/async/sleep'
import type { Me } from '@/lib/contract/access/access'
import { ProblemError } from '@/lib/http/client/problem'
import { type Connection, readStored, writeStored } from '../config'
import type { Context } from '../context'
import type { StartLog } from '../follow/start-log'

const pollIntervalMs = 2_000

export interface SignedIn {
  connection: Connection
  me: Me
}

/**
 * Chooses the token for a server on this machine: the one in the environment, the stored one, or a new one. A
 * server that starts for the first time gives this token to its admin.
 */
export async function chooseToken(env: NodeJS.ProcessEnv, server: string): Promise<string> {
  const given = env.GPUQ_TOKEN?.trim() || env.GPUQ_ADMIN_TOKEN?.trim() || (await storedFor(env, server))
  // The server requires at least this length for the admin's token.
  return given && given.length >= 32 ? given : `gpuq_${randomBytes(32).toString('hex')}`
}

async function storedFor(env: NodeJS.ProcessEnv, server: string): Promise<string | undefined> {
  const { server: last, token, tokens } = await readStored(env)
  const all = [...Object.entries(tokens ?? {}), ...(last && token ? [[last, token] as const] : [])]
  return all.findLast(([address]) => toLocalName(address) === toLocalName(server))?.[1]
}

/** Maps all local host names to one, because they reach the same server. */
function toLocalName(server: string): string {
  return server.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=:|$)/, 'http://localhost')
}

/**
 * Makes sure that a user is signed in at the server, and stores a new token. If the server has an admin but
 * no token is known, prints what to do and waits until it is done.
 */
export async function signInLocally(
  context: Context,
  log: StartLog,
  { server, token }: Connection,
  signal: AbortSignal,
): Promise<SignedIn | null> {
  const first = await tryToken(context, { server, token })
  if (first) {
    await store(context, log, first.connection)
    return first
  }
  await log.warn(
    `${server} already has an admin, but no token for it is stored. Create a token on its Tokens page ` +
      `and run \`gpuq login --server ${server}\` in another terminal, or restart with GPUQ_TOKEN set. Waiting.`,
  )
  while (!signal.aborted) {
    await sleep(pollIntervalMs, signal)
    const found = await storedFor(context.env, server)
    const signedIn = found ? await tryToken(context, { server, token: found }) : null
    if (signedIn) return signedIn
  }
  return null
}

async function tryToken(context: Context, connection: Connection): Promise<SignedIn | null> {
  try {
    return { connection, me: await (await context.connectTo(connection)).users.me() }
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null
    throw error
  }
}

/** Keeps an existing login at another server. */
async function store(context: Context, log: StartLog, connection: Connection): Promise<void> {
  const { env } = context
  const { server, token } = connection
  if (env.GPUQ_TOKEN || (await storedFor(env, server)) === token) return
  const stored = await readStored(env)
  if (stored.server && stored.token && stored.server !== server) {
    await writeStored(env, {
      server: stored.server,
      token: stored.token,
      tokens: { ...stored.tokens, [server]: token },
    })
    await log.note(
      `Your default server remains ${stored.server}. Set GPUQ_SERVER=${server} to use this one; its token is stored too.`,
    )
    return
  }
  const path = await writeStored(env, { ...connection, tokens: stored.tokens })
  await log.note(`Logged in to ${server}. Token stored in ${path}.`)
}
