import { createHmac } from 'node:crypto'

/** The prefix of a secret in the format of Standard Webhooks. */
export const secretPrefix = 'whsec_'

/**
 * The headers of a webhook, in the format of Standard Webhooks (https://www.standardwebhooks.com).
 * @param id the same for every attempt, so that a receiver recognizes a repeated message.
 * @param secrets each of them signs. Without one, there is no signature.
 */
export function webhookHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secrets.length === 0) return headers
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { ...headers, 'webhook-signature': signatures.join(' ') }
}
