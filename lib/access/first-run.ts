import { randomInt } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { scopes } from '../contract/access/roles'
import { policyVariables } from '../contract/cluster/policy-fields'
import { acquireLock } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { recordAudit } from './audit'
import { hashPassword } from './sessions/passwords'
import { findWeakness } from './sessions/strong-password'
import { generateToken, hashToken, tokenHint } from './tokens/token-format'

/** The first admin, as returned by the start that created it. */
interface FirstAdmin {
  handle: string
  email: string
  /** The generated password; null if the environment provided it. */
  password: string | null
  /** Generated or provided. */
  token: string
  /** The variable that provided the token, which need not be shown then; null: the token was generated. */
  tokenVariable: 'GPUQ_ADMIN_TOKEN' | null
}

export type FirstRun =
  | { created: true; admin: FirstAdmin }
  /** The admin of an earlier start, whose secrets are no longer known. */
  | { created: false; admin: { handle: string; email: string | null } }

/**
 * Creates the first admin, a token and the default environment if they do not exist. Returns generated secrets only
 * from the call that created them.
 */
export function ensureFirstRun(): Promise<FirstRun> {
  return transaction(async (tx): Promise<FirstRun> => {
    await acquireLock(tx, 'firstRun')
    await ensureEnvironment(tx)
    await applyPolicyVariables(tx)
    const admin = await findRow<{ handle: string; email: string | null }>(
      tx,
      `SELECT handle, email FROM users WHERE role = 'admin'
        ORDER BY disabled_at IS NOT NULL, created_at, id LIMIT 1`,
    )
    if (admin) return { created: false, admin }
    return { created: true, admin: await createAdmin(tx) }
  })
}

async function createAdmin(tx: Transaction): Promise<FirstAdmin> {
  const { GPUQ_ADMIN_EMAIL: email, GPUQ_ADMIN_PASSWORD, GPUQ_ADMIN_TOKEN } = env()
  const [id, handle, name] = [uuidv7(), 'admin', 'first token']
  const password = GPUQ_ADMIN_PASSWORD ?? generatePassword()
  if (GPUQ_ADMIN_PASSWORD !== undefined)
    await requireStrongAdminPassword(GPUQ_ADMIN_PASSWORD, { handle, email })
  const token = GPUQ_ADMIN_TOKEN ?? generateToken()
  await tx.query(
    "INSERT INTO users (id, handle, email, role, password_hash) VALUES ($1, $2, $3, 'admin', $4)",
    [id, handle, email, await hashPassword(password)],
  )
  await tx.query(
    'INSERT INTO api_tokens (id, user_id, name, hash, hint, scopes) VALUES ($1, $2, $3, $4, $5, $6)',
    [uuidv7(), id, name, hashToken(token), tokenHint(token), scopes],
  )
  const created = { actorId: null, target: handle }
  await recordAudit(tx, { ...created, action: 'user_created', detail: { email, role: 'admin' } })
  await recordAudit(tx, { ...created, action: 'token_created', detail: { name, scopes } })
  const generated = GPUQ_ADMIN_PASSWORD === undefined ? password : null
  return {
    handle,
    email,
    password: generated,
    token,
    tokenVariable: GPUQ_ADMIN_TOKEN === undefined ? null : 'GPUQ_ADMIN_TOKEN',
  }
}

async function requireStrongAdminPassword(
  password: string,
  { handle, email }: { handle: string; email: string },
): Promise<void> {
  const weakness = await findWeakness(password, { handle, email, name: null })
  if (weakness === null) return
  throw new Error(
    `GPUQ_ADMIN_PASSWORD: ${weakness} Choose another one, or unset the variable: gpuq then generates a password.`,
  )
}

/** Applies the policy of the environment variables, at each start. An admin may change it until the next one. */
async function applyPolicyVariables(tx: Transaction): Promise<void> {
  const settings = env()
  const given = {
    running: settings[policyVariables.running],
    scheduling_policy: settings[policyVariables.scheduling_policy],
    max_queue_size: settings[policyVariables.max_queue_size],
  }
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const { rows } = await tx.query<{ changed: boolean }>(
    `UPDATE policies p SET running = coalesce($1, p.running), scheduling = coalesce($2, p.scheduling),
            max_queue_size = coalesce($3, p.max_queue_size), set_by_environment = $4
       FROM policies o WHERE o.id = p.id
     RETURNING (o.running, o.scheduling, o.max_queue_size) <> (p.running, p.scheduling, p.max_queue_size) AS changed`,
    [given.running, given.scheduling_policy, given.max_queue_size, names],
  )
  if (!rows[0]?.changed) return
  await recordAudit(tx, { actorId: null, action: 'policy_updated', target: null, detail: given })
}

async function ensureEnvironment(tx: Transaction): Promise<void> {
  const [name, image] = ['python', env().GPUQ_DEFAULT_IMAGE]
  const { rowCount } = await tx.query(
    `INSERT INTO environments (id, name, image, description, is_default)
     SELECT $1, $2, $3, $4, true WHERE NOT EXISTS (SELECT 1 FROM environments)`,
    [uuidv7(), name, image, 'Python with numpy, pandas, scikit-learn, matplotlib and torch'],
  )
  if (rowCount === 0) return
  await recordAudit(tx, { actorId: null, action: 'environment_created', target: name, detail: { image } })
}

/**
 * Without characters that look alike, because people read the password from a screen. 20 characters from 31 have 99
 * bits.
 */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

function generatePassword(): string {
  const group = () => Array.from({ length: 5 }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
  return [group(), group(), group(), group()].join('-')
}
