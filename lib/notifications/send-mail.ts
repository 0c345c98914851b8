import { timeLimit } from '../async/time-limit'
import { errorCode } from '../contract/error-code'
import { env } from '../env'
import { type Attempted, withoutAnswer } from './attempted'
import type { ClaimedDelivery } from './outbox'
import { type Message, toMessage } from './payload'
import type { RequestOptions } from './send-request'

interface Mail {
  subject: string
  text: string
}

/** Sends a notification by e-mail. */
export function sendNotificationMail(
  delivery: ClaimedDelivery,
  options: Pick<RequestOptions, 'timeoutMs' | 'signal'>,
): Promise<Attempted> {
  const message = toMessage(delivery)
  return sendMail(delivery, { subject: message.title, text: toText(message) }, options)
}

/** Sends a message by the admin's SMTP server to the address of the user's account. */
export async function sendMail(
  { id, email }: Pick<ClaimedDelivery, 'id' | 'email'>,
  { subject, text }: Mail,
  { timeoutMs, signal }: Pick<RequestOptions, 'timeoutMs' | 'signal'>,
): Promise<Attempted> {
  const { GPUQ_SMTP_URL: server, GPUQ_MAIL_FROM: from } = env()
  if (server === undefined)
    return withoutAnswer('failed', 'gpuq cannot send e-mail: GPUQ_SMTP_URL is not set.')
  if (email === null)
    return withoutAnswer('failed', 'The account has no e-mail address. Ask an admin to add it.')
  // Loaded on use: most servers send no e-mail, and it takes memory.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(
    { url: server, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // A name of a job must not read a file or fetch an address.
    { disableFileAccess: true, disableUrlAccess: true },
  )
  const limit = timeLimit(timeoutMs, signal)
  try {
    const { response } = await transport.sendMail({
      from,
      to: { name: '', address: email },
      subject,
      text,
      // The same in each attempt, so that a mail program shows a repeated message once.
      messageId: `<${id}@gpuq>`,
      headers: { 'auto-submitted': 'auto-generated' },
      // Closes the connection, so that a message that is late is not sent twice.
      signal: limit,
    })
    return { outcome: 'delivered', status: statusOf(response), response, problem: null, retryAfterS: null }
  } catch (error) {
    if (limit.aborted) return withoutAnswer('retry', 'The SMTP server did not respond in time.')
    return explain(error)
  } finally {
    transport.close()
  }
}

const toText = ({ title, text, url }: Message) =>
  [title, text, url, 'You can change your notifications in the settings of gpuq.']
    .filter(Boolean)
    .join('\n\n')

const statusOf = (response: string) => Number(/^\d{3}/.exec(response)?.[0] ?? 250)

/** A server that refuses a message for good answers with a status from 500 on. */
function explain(error: unknown): Attempted {
  const { responseCode: status, response } = error as { responseCode?: number; response?: string }
  if (status === undefined) {
    return withoutAnswer(
      'retry',
      `The SMTP server could not be used (${errorCode(error) ?? 'unknown error'}).`,
    )
  }
  const problem = `The SMTP server responded with status ${status}.`
  const outcome = status >= 500 ? 'failed' : 'retry'
  return { outcome, status, response: response ?? null, problem, retryAfterS: null }
}
