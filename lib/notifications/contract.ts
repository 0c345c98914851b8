import * as z from 'zod'
import { time } from '../contract/access/access'
import { label, notifyUrl } from '../contract/config/values'
import { type NotificationEvent, notificationEvents } from './contract-events'

const eventNames = Object.keys(notificationEvents) as [NotificationEvent, ...NotificationEvent[]]

const url = notifyUrl.describe('stored encrypted; no response contains it')
const hookUrl = url.refine((text) => text.startsWith('https://'), 'must be an https:// address')

const kinds = [
  z.strictObject({ kind: z.literal('webhook'), url }),
  z.strictObject({ kind: z.literal('email') }),
  z.strictObject({ kind: z.literal('slack'), url: hookUrl }),
  z.strictObject({ kind: z.literal('discord'), url: hookUrl }),
  z.strictObject({
    kind: z.literal('matrix'),
    homeserver: hookUrl.describe('address of the server, such as https://matrix.org'),
    room_id: z
      .string()
      .trim()
      .max(255)
      .regex(/^![\x21-\x7e]+$/, 'must be the internal id of a room, such as !abc:matrix.org')
      .describe('the internal id of the room'),
    access_token: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be one word without spaces')
      .describe('stored encrypted; no response contains it'),
  }),
] as const

/** The address of a target and what is needed to send to it. */
export const targetConfigSchema = z.discriminatedUnion('kind', kinds)
export type TargetConfig = z.output<typeof targetConfigSchema>
export type TargetKind = TargetConfig['kind']
const kindNames = kinds.map(({ shape }) => shape.kind.value)

/** A wait longer than a week is not useful. */
const waitMinutes = z.int().min(0).max(10_080)

const events = z
  .array(z.enum(eventNames))
  .min(1, 'choose at least one event')
  .transform((chosen) => [...new Set(chosen)])

const choices = {
  name: label(100).describe('a name of your choice'),
  events,
  wait_minutes: waitMinutes.default(0).describe('shortest wait of a job whose start is notified, in minutes'),
}

const [webhook, email, slack, discord, matrix] = kinds

/** `POST /api/notifications/targets`. */
export const createTargetSchema = z.discriminatedUnion('kind', [
  webhook.extend(choices),
  email.extend(choices),
  slack.extend(choices),
  discord.extend(choices),
  matrix.extend(choices),
])

/** `PATCH /api/notifications/targets/{id}`. What is left out keeps its value. */
export const updateTargetSchema = z.strictObject({
  name: choices.name.optional(),
  events: events.optional(),
  wait_minutes: waitMinutes.optional(),
  paused: z.boolean().optional().describe('true: nothing is sent there'),
})

/** Where a user is notified. The address and the credentials are in no response. */
export const targetSchema = z.object({
  id: z.uuid(),
  kind: z.enum(kindNames),
  name: z.string(),
  address: z.string().describe('without anything secret'),
  events: z.array(z.enum(eventNames)),
  wait_minutes: z.int(),
  created_at: time,
  paused_at: time.nullable(),
  pause_reason: z.string().nullable().describe('why gpuq paused it; null: it did not'),
})

/** `GET /api/notifications`. */
export const notificationsSchema = z.object({
  targets: z.array(targetSchema),
  email: z
    .string()
    .nullable()
    .describe("the address of the caller's account; null: gpuq cannot send e-mail to it"),
  secret_created_at: time
    .nullable()
    .describe('when the secret that signs webhooks was created; null: webhooks are not signed'),
})

/** Response of `POST /api/notifications/secret`. */
export const signingSecretSchema = z.object({
  secret: z.string().describe('shown once; it begins with whsec_'),
})

/** One message in the delivery log. */
export const deliverySchema = z.object({
  id: z.uuid().describe('the header webhook-id is msg_ and this id'),
  event: z.string().describe('an event, test, or user.invited'),
  target_id: z.uuid().nullable().describe('null: the notify_url of the job'),
  target_name: z.string().nullable(),
  job_id: z.uuid().nullable(),
  state: z.enum(['waiting', 'retrying', 'delivered', 'failed']),
  attempts: z.int(),
  response_status: z.int().nullable(),
  response: z.string().nullable().describe('the first bytes of the answer'),
  problem: z.string().nullable().describe('why the last attempt failed'),
  created_at: time,
  next_try_at: time.nullable(),
  settled_at: time.nullable().describe('when it was delivered, or failed for good'),
})

export const listDeliveriesSchema = z.strictObject({
  target: z.uuid().optional().describe('only messages to this target'),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

export type Notifications = z.infer<typeof notificationsSchema>
export type NotificationTarget = z.infer<typeof targetSchema>
export type CreateTarget = z.input<typeof createTargetSchema>
export type UpdateTarget = z.input<typeof updateTargetSchema>
export type Delivery = z.infer<typeof deliverySchema>
