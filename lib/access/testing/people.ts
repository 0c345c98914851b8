import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { scopes as allScopes, type Role, type Scope } from '../../contract/roles'
import { database } from '../../database/client'
import type { Actor } from '../actor'
import { hashPassword } from '../sessions/passwords'
import { sessionCookie } from '../sessions/session-cookie'
import { generateToken, hashToken, tokenHint } from '../tokens/token-format'

/** A user for tests, and the ways in which they may call. */
export interface Person {
  id: string
  handle: string
  email: string
  password: string
  /** As signed in with a browser. */
  actor: Actor
  /** The `Cookie` header of that browser. */
  cookie: string
}

/** Makes a user with a password, straight into the database. */
export async function makePerson(role: Role = 'researcher', given?: string): Promise<Person> {
  const id = uuidv7()
  const handle = given ?? `${role}-${randomBytes(4).toString('hex')}`
  const email = `${handle}@example.org`
  const password = `password of ${handle}`
  await database().pool.query(
    'INSERT INTO users (id, handle, email, role, password_hash) VALUES ($1, $2, $3, $4, $5)',
    [id, handle, email, role, await hashPassword(password)],
  )
  const actor: Actor = {
    userId: id,
    handle,
    role,
    scopes: allScopes,
    via: 'session',
    tokenId: null,
    limits: { submissionsPerMinute: null, maxActiveJobs: null },
  }
  const [cookie = ''] = (await sessionCookie({ sub: id, epoch: 0 })).split(';')
  return { id, handle, email, password, actor, cookie }
}

/** Makes a token of a person, straight into the database, and returns it with the actor that it proves. */
export async function makeToken(
  { id, actor }: Person,
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
  return { token, tokenId, actor: { ...actor, via: 'token', scopes, tokenId } }
}

/** Texts that must be in no table: returns `table: text` for each that is, as it is or as bytes. */
export async function findStored(texts: readonly string[]): Promise<string[]> {
  const { pool } = database()
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
