import * as z from 'zod'
import {
  type CreateTarget,
  createTargetSchema,
  type TargetKind,
  type UpdateTarget,
  updateTargetSchema,
} from '@/lib/notifications/contract'
import { type NotificationEvent, notificationEvents } from '@/lib/notifications/contract-events'
import { targetKindLabels } from './target-kinds'

/* The schemas of the forms of targets, which load them when they are submitted. */

const eventList = z.array(z.enum(Object.keys(notificationEvents) as NotificationEvent[]))
const minutes = z.string().regex(/^\d{0,5}$/, 'must be a whole number of minutes')

/** The fields of all kinds. Only those of the chosen kind are checked and sent. */
export const newTargetSchema = z
  .object({
    kind: z.enum(Object.keys(targetKindLabels) as TargetKind[]),
    name: z.string(),
    url: z.string(),
    homeserver: z.string(),
    room_id: z.string(),
    access_token: z.string(),
    events: eventList,
    wait_minutes: minutes,
  })
  .transform(({ kind, url, homeserver, room_id, access_token, ...choices }): CreateTarget => {
    const common = { ...choices, wait_minutes: Number(choices.wait_minutes) }
    if (kind === 'email') return { kind, ...common }
    if (kind === 'matrix') return { kind, ...common, homeserver, room_id, access_token }
    return { kind, ...common, url }
  })
  .pipe(createTargetSchema)

/** The fields of a target that can change. */
export const changedTargetSchema = z
  .object({ name: z.string(), events: eventList, wait_minutes: minutes })
  .transform((values): UpdateTarget => ({ ...values, wait_minutes: Number(values.wait_minutes) }))
  .pipe(updateTargetSchema)

export type NewTargetValues = z.input<typeof newTargetSchema>
