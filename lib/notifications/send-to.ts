import { decryptSecret } from '../access/encrypt-secret'
import { unlessAborted } from '../async/sleep'
import { timeLimit } from '../async/time-limit'
import type { Diagnosis } from '../contract/diagnosis/diagnosis'
import { parseJson } from '../contract/parse-json'
import { diagnoseForMessage } from '../jobs/read/diagnosis'
import { logger } from '../logger'
import { OutputReader } from '../results/reading/output-reader'
import { type Attempted, withoutAnswer } from './attempted'
import { chatRequest } from './chat-requests'
import { type TargetConfig, targetConfigSchema } from './contract'
import { invitationEvent, sendInvitationMail } from './invitation-mails'
import type { ClaimedDelivery } from './outbox'
import { toPayload } from './payload'
import { sendNotificationMail } from './send-mail'
import { type Answer, type OutgoingRequest, type RequestOptions, sendRequest } from './send-request'
import { webhookHeaders } from './sign-webhook'
import { webhookSecretsOf } from './webhook-secret'

const unreadable =
  'The address cannot be decrypted, because GPUQ_SECRET has changed. Delete this target and add it again.'
const unreadableSecret =
  'The signing secret cannot be decrypted, because GPUQ_SECRET has changed. Create a new one under Settings.'

/** Sends one message to its target. Never rejects for a fault of the target. */
export async function sendTo(claimed: ClaimedDelivery, options: RequestOptions): Promise<Attempted> {
  if (claimed.event === invitationEvent) return sendInvitationMail(claimed, options)
  const delivery = { ...claimed, diagnosis: await diagnosisOf(claimed, options) }
  const config = await configOf(delivery)
  if (config === null) return withoutAnswer('failed', unreadable)
  if (config.kind === 'email') return sendNotificationMail(delivery, options)
  const request = await requestTo(config, delivery)
  if (request === null) return withoutAnswer('failed', unreadableSecret)
  const sent = await sendRequest(request, options)
  if ('problem' in sent) return withoutAnswer(sent.refused ? 'failed' : 'retry', sent.problem)
  return judgeAnswer(sent)
}

/**
 * Why the job of a message failed. A message is sent without it, if it cannot be read, or not in time: a slow attempt would be repeated
 * by another process.
 */
async function diagnosisOf(
  { id, event, data, userId }: ClaimedDelivery,
  { timeoutMs, signal }: RequestOptions,
): Promise<Diagnosis | null> {
  const { job_id: jobId } = data
  if (event !== 'job.failed' || typeof jobId !== 'string') return null
  const limit = timeLimit(timeoutMs, signal)
  const reading = diagnoseForMessage(jobId, new OutputReader(userId, limit)).catch((error: unknown) => {
    logger.warn({ err: error, notification: id }, 'could not diagnose the job of a notification')
    return null
  })
  return unlessAborted(reading, limit)
}

async function configOf({ targetId, config, notifyUrl }: ClaimedDelivery): Promise<TargetConfig | null> {
  if (targetId === null) return notifyUrl === null ? null : { kind: 'webhook', url: notifyUrl }
  const text = config && (await decryptSecret('gpuq notification targets', targetId, config))
  return text === null ? null : targetConfigSchema.parse(parseJson(text))
}

async function requestTo(
  config: Exclude<TargetConfig, { kind: 'email' }>,
  delivery: ClaimedDelivery,
): Promise<OutgoingRequest | null> {
  if (config.kind !== 'webhook') return chatRequest(config, delivery)
  const body = JSON.stringify(toPayload(delivery))
  const secrets = await webhookSecretsOf(delivery.userId)
  if (secrets === null) return null
  return { url: config.url, body, headers: webhookHeaders(`msg_${delivery.id}`, body, secrets, new Date()) }
}

/** Decides by the status of an answer whether to repeat the message. */
export function judgeAnswer({ status, text, retryAfterS }: Answer): Attempted {
  const answered = { status, response: text, retryAfterS }
  if (status >= 200 && status < 300) return { ...answered, outcome: 'delivered', problem: null }
  const problem = `The address responded with status ${status}.`
  if (status === 410) {
    return { ...answered, outcome: 'gone', problem: `${problem} This means that it wants no more messages.` }
  }
  if (status >= 300 && status < 400) {
    return { ...answered, outcome: 'failed', problem: `${problem} gpuq does not follow redirects.` }
  }
  const temporary = status >= 500 || status === 408 || status === 425 || status === 429
  return { ...answered, outcome: temporary ? 'retry' : 'failed', problem }
}
