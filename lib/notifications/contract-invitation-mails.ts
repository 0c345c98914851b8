import * as z from 'zod'
import { time } from '../contract/access/access'
import { idSchema } from '../contract/jobs'

/** The latest e-mail with an invitation to one user. */
export const invitationMailSchema = z.object({
  user_id: z.string(),
  email: z.string().nullable(),
  state: z.enum(['waiting', 'retrying', 'failed']),
  problem: z.string().nullable().describe('why the last attempt failed'),
  created_at: time,
})

/** Response of `GET /api/invitation-mails`. */
export const invitationMailsSchema = z.object({
  available: z.boolean().describe('gpuq can send e-mail: GPUQ_SMTP_URL is set'),
  mails: z
    .array(invitationMailSchema)
    .describe('those that were not delivered, failed ones first; at most 200'),
})

/** `POST /api/invitation-mails`. */
export const sendInvitationMailSchema = z.strictObject({
  user_id: idSchema.describe('a user with an e-mail address and without a password'),
})

export type InvitationMail = z.infer<typeof invitationMailSchema>
