import { database } from '../../database/client'
import { findRow, type Transaction, transaction } from '../../database/transaction'
import { recordAudit } from '../audit'

/** A sign-in through an external identity provider. */
interface ExternalAccount {
  provider: string
  providerAccountId: string
  /** Addresses that the provider has verified; no others count. */
  verifiedEmails: string[]
}

interface UserRow {
  id: string
  handle: string
  disabled: boolean
}

/**
 * Signs in an external account: returns the id of the linked user, otherwise of the only user with one of its
 * verified addresses, and links that user. Returns null for an unknown account and for a disabled user. Never
 * creates a user.
 */
export function signInExternalAccount(account: ExternalAccount): Promise<string | null> {
  return transaction(async (tx) => {
    const linked = await findLinked(tx, account)
    const user = linked ?? (await linkByEmail(tx, account))
    const detail = { with: account.provider }
    if (!user || user.disabled) {
      const target = user?.handle ?? account.verifiedEmails[0] ?? null
      await recordAudit(tx, { actorId: user?.id ?? null, action: 'sign_in_refused', target, detail })
      return null
    }
    await tx.query('UPDATE users SET last_seen_at = now() WHERE id = $1', [user.id])
    await recordAudit(tx, { actorId: user.id, action: 'sign_in', target: user.handle, detail })
    return user.id
  })
}

function findLinked(
  executor: Transaction,
  account: Pick<ExternalAccount, 'provider' | 'providerAccountId'>,
): Promise<UserRow | null> {
  return findRow<UserRow>(
    executor,
    `SELECT u.id, u.handle, u.disabled_at IS NOT NULL AS disabled
       FROM accounts a JOIN users u ON u.id = a.user_id
      WHERE a.provider = $1 AND a.provider_account_id = $2`,
    [account.provider, account.providerAccountId],
  )
}

async function linkByEmail(tx: Transaction, account: ExternalAccount): Promise<UserRow | null> {
  const { rows } = await tx.query<UserRow>(
    `SELECT id, handle, disabled_at IS NOT NULL AS disabled FROM users
      WHERE lower(email) = ANY (SELECT lower(e) FROM unnest($1::text[]) AS e) LIMIT 2`,
    [account.verifiedEmails],
  )
  const [user, another] = rows
  // The addresses belong to two users, so an admin must decide.
  if (!user || another) return null
  if (user.disabled) return user
  const { rowCount } = await tx.query(
    'INSERT INTO accounts (provider, provider_account_id, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [account.provider, account.providerAccountId, user.id],
  )
  if (rowCount === 0) return findLinked(tx, account)
  const detail = { provider: account.provider }
  await recordAudit(tx, { actorId: user.id, action: 'account_linked', target: user.handle, detail })
  return user
}

/** Returns the user that an external account is linked to. */
export async function externalAccountUser(
  provider: string,
  providerAccountId: string,
): Promise<string | null> {
  const user = await findLinked(database().pool, { provider, providerAccountId })
  return user?.id ?? null
}
