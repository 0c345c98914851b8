import { z } from 'zod'
import { flag } from './values'

/** The environment variables for notifications. Part of `envSchema`. */
export const notificationVariables = {
  GPUQ_NOTIFY_PRIVATE: flag
    .default(false)
    .describe(
      'true: notify_url and targets of notifications may be on this host or on a private network; users see the first bytes of the answers',
    ),
  GPUQ_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an address such as smtps://USER:PASSWORD@mail.example.org' })
    .optional()
    .describe('SMTP server that sends e-mail notifications, with user and password; unset: no e-mail'),
  GPUQ_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]+@[^\r\n]+$/, 'must be an e-mail address, or a name with one: gpuq <gpuq@example.org>')
    .default('gpuq@localhost')
    .describe('sender of e-mail notifications'),
}
