import { conflict, unauthenticated } from '../contract/errors'
import { database } from '../database/client'
import { findRow, transaction } from '../database/transaction'
import type { Actor } from './actor'
import { recordAudit } from './audit'

/** Its handle. Nobody else can choose it. */
export const localOwnerHandle = 'local-owner'
/** One id for all installations, so that a user of an earlier version with the same handle is not taken for it. */
const id = '00000000-0000-7000-8000-000000010000'

const requests = new WeakSet<Request>()

/** Lets a request act as the local owner. Only the server of the local port may call it (lib/http/server/local). */
export function actAsLocalOwner(request: Request): void {
  requests.add(request)
}

export const isOfLocalOwner = (request: Request): boolean => requests.has(request)

/**
 * The user of programs of this machine that need no token: a researcher without sign-in, so that nobody counts it as an admin
 * who could help. Its requests have the rights of an admin, and reach only the paths of the local port.
 * @throws 401 if an admin has disabled it
 */
export async function localOwner(): Promise<Actor> {
  const found = (await read()) ?? (await create())
  if (found.disabled)
    throw unauthenticated(`An admin has disabled the user ${localOwnerHandle}. Send a token of gpuq instead.`)
  return {
    userId: id,
    handle: localOwnerHandle,
    role: 'admin',
    scopes: ['submit', 'read', 'admin'],
    via: 'token',
    tokenId: null,
    sessionId: null,
    restriction: null,
    limits: { submissionsPerMinute: null, maxActiveJobs: null },
  }
}

interface Row {
  disabled: boolean
}

function read(): Promise<Row | null> {
  return findRow<Row>(database().pool, {
    name: 'local-owner',
    text: 'SELECT disabled_at IS NOT NULL AS disabled FROM users WHERE id = $1',
    values: [id],
  })
}

async function create(): Promise<Row> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'INSERT INTO users (id, handle) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [id, localOwnerHandle],
    )
    if (rowCount === 0) return
    const detail = { role: 'researcher', invited: false, for_a_job: true }
    await recordAudit(tx, { actorId: null, action: 'user_created', target: localOwnerHandle, detail })
  })
  const made = await read()
  if (made) return made
  throw conflict(
    `A user has the name ${localOwnerHandle}, which gpuq needs. Ask an admin to rename the user.`,
  )
}
