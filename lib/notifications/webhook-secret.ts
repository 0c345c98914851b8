import { randomBytes } from 'node:crypto'
import type { Actor } from '../access/actor'
import { recordAudit } from '../access/audit'
import { decryptSecret, encryptSecret } from '../access/encrypt-secret'
import { database } from '../database/client'
import { findRow, transaction } from '../database/transaction'
import { secretPrefix } from './sign-webhook'

const purpose = 'gpuq webhook secrets'

/** Creates the secret that signs the actor's webhooks, or replaces it. Only this response contains it. */
export async function createWebhookSecret(actor: Actor): Promise<{ secret: string }> {
  const secret = `${secretPrefix}${randomBytes(32).toString('base64')}`
  const encrypted = await encryptSecret(purpose, actor.userId, secret)
  return transaction(async (tx) => {
    await tx.query(
      `INSERT INTO webhook_secrets (user_id, secret) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET previous = webhook_secrets.secret, secret = $2, created_at = now()`,
      [actor.userId, encrypted],
    )
    await recordAudit(tx, { actorId: actor.userId, action: 'webhook_secret_created', target: actor.handle })
    return { secret }
  })
}

/**
 * The secrets that sign a user's webhooks now: the current one, and for one day the one before it. None: webhooks are not
 * signed. Null: they cannot be decrypted, because GPUQ_SECRET has changed.
 */
export async function webhookSecretsOf(userId: string): Promise<string[] | null> {
  const row = await findRow<{ secret: Buffer; previous: Buffer | null }>(database().pool, {
    name: 'webhook-secrets',
    text: `SELECT secret, CASE WHEN created_at > now() - interval '1 day' THEN previous END AS previous
             FROM webhook_secrets WHERE user_id = $1`,
    values: [userId],
  })
  if (!row) return []
  const secret = await decryptSecret(purpose, userId, row.secret)
  if (secret === null) return null
  const previous = row.previous && (await decryptSecret(purpose, userId, row.previous))
  return previous === null ? [secret] : [secret, previous]
}
