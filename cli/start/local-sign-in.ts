import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { User } from '@/lib/contract/access'
import { ProblemError } from '@/lib/http/client/problem'
import { type Connection, readStored, writeStored } from '../config'
import type { Context } from '../context'
import type { StartLog } from './start-log'

const lookEveryMs = 2_000

export interface SignedIn {
  connection: Connection
  me: User
}

/**
 * The token to try at a server of this machine: the one in the environment, the one stored for it, or a new one. It is
 * also given to a server that is started for the first time, which makes it the admin's.
 */
export async function chooseToken(env: NodeJS.ProcessEnv, server: string): Promise<string> {
  const given = env.GPUQ_TOKEN || env.GPUQ_ADMIN_TOKEN || (await storedFor(env, server))
  // A short one cannot be made an admin's.
  return given && given.length >= 32 ? given : `gpuq_${randomBytes(32).toString('hex')}`
}

async function storedFor(env: NodeJS.ProcessEnv, server: string): Promise<string | undefined> {
  const { server: last, token, tokens } = await readStored(env)
  const all = [...Object.entries(tokens ?? {}), ...(last && token ? [[last, token] as const] : [])]
  return all.findLast(([address]) => nameHere(address) === nameHere(server))?.[1]
}

/** This machine has several names, and is one server by each of them. */
function nameHere(server: string): string {
  return server.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=:|$)/, 'http://localhost')
}

/**
 * Makes sure that somebody is signed in at the server, and stores the token where it was new. Where the server has an
 * admin and no token of it is known here, it says what to do, and goes on once that was done.
 */
export async function signInLocally(
  context: Context,
  journal: StartLog,
  { server, token }: Connection,
  signal: AbortSignal,
): Promise<SignedIn | null> {
  const first = await tryToken(context, { server, token })
  if (first) {
    await store(context, journal, first.connection)
    return first
  }
  await journal.warn(
    `${server} has an admin already, and no token for it is known here. Make one there under Tokens, ` +
      `and run \`gpuq login --server ${server}\` beside this; or start again with GPUQ_TOKEN set. Waiting for it.`,
  )
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {})
    const found = await storedFor(context.env, server)
    const signedIn = found ? await tryToken(context, { server, token: found }) : null
    if (signedIn) return signedIn
  }
  return null
}

async function tryToken(context: Context, connection: Connection): Promise<SignedIn | null> {
  try {
    return { connection, me: await context.connectTo(connection).users.me() }
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return null
    throw error
  }
}

/** Who is signed in at another server stays so. */
async function store(context: Context, journal: StartLog, connection: Connection): Promise<void> {
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
    await journal.note(
      `You stay signed in at ${stored.server}. For this one, set GPUQ_SERVER=${server}: its token is stored too.`,
    )
    return
  }
  const path = await writeStored(env, { ...connection, tokens: stored.tokens })
  await journal.note(`You are signed in at ${server}. The token is stored in ${path}.`)
}
