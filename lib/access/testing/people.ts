import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { scopes as allScopes, type Role, type Scope } from '../../contract/access/roles'
import { database } from '../../database/client'
import type { Actor } from '../actor'
import { hashPassword } from '../sessions/passwords'
import { beginSession } from '../sessions/session'
import type { SignInClient } from '../sessions/session-client'
import { sessionCookie } from '../sessions/session-cookie'
import { generateToken, hashToken, tokenHint } from '../tokens/token-format'

/** A test user with credentials. */
export interface Person {
  id: string
  handle: string
  email: string
  password: string
  /** Authenticated with a browser session. */
  actor: Actor
  /** The `Cookie` header of that session. */
  cookie: string
}

/** The client of test users. */
export const someClient: SignInClient = {
  address: '192.0.2.1',
  userAgent: 'a browser',
  deviceCookie: null,
}

/** Inserts a user with a password. */
export async function makePerson(role: Role = 'researcher', given?: string): Promise<Person> {
  const id = uuidv7()
  const handle = given ?? `${role}-${randomBytes(4).toString('hex')}`
  const email = `${handle}@example.org`
  const password = `password of ${handle}`
  await database().pool.query(
    'INSERT INTO users (id, handle, email, role, password_hash) VALUES ($1, $2, $3, $4, $5)',
    [id, handle, email, role, await hashPassword(password)],
  )
  const session = await beginSession(database().pool, { userId: id }, someClient)
  if (!session) throw new Error('The new user has no session.')
  const actor: Actor = {
    userId: id,
    handle,
    role,
    scopes: allScopes,
    via: 'session',
    tokenId: null,
    sessionId: session.sid,
    restriction: null,
    limits: { submissionsPerMinute: null, maxActiveJobs: null },
  }
  const [cookie = ''] = (await sessionCookie(session)).split(';')
  return { id, handle, email, password, actor, cookie }
}

/** Inserts a token of a person. Returns the token and the actor it authenticates. */
export async function makeToken(
  { id, actor }: Pick<Person, 'id' | 'actor'>,
  scopes: Scope[] = ['submit', 'read'],
  expires = '1 day',
): Promise<{ token: string; tokenId: string; actor: Actor }> {
  const token = generateToken()
  const tokenId = uuidv7()
  await database().pool.query(
    `INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes, created_by_id, expires_at)
     VALUES ($1, $2, 'of a test', $3, $4, $5, $2, now() + $6::interval)`,
    [tokenId, id, hashToken(token), tokenHint(token), scopes, expires],
  )
  return { token, tokenId, actor: { ...actor, via: 'token', scopes, tokenId, sessionId: null } }
}

/** Searches all tables for texts that must not be stored, also as bytes. Returns `table: text` for each match. */
export async function findStored(
  texts: readonly string[],
  pool: pg.Pool = database().pool,
): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
  )
  const needles = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const found = []
  for (const { name } of tables) {
    const { rows } = await pool.query<{ needle: string }>(
      `SELECT DISTINCT needle FROM ${name} t, unnest($1::text[]) AS needle WHERE strpos(t::text, needle) > 0`,
      [needles],
    )
    found.push(...rows.map(({ needle }) => `${name}: ${needle}`))
  }
  return found
}
