import { listAuditSchema } from '@/lib/contract/access/access'

const { actor, action } = listAuditSchema.shape

/** The filters in the page's address, without values that the API would reject. */
export function toAuditFilters(params: Pick<URLSearchParams, 'get'>): { actor?: string; action?: string } {
  const read = (schema: typeof actor | typeof action, name: string) =>
    schema.safeParse(params.get(name) || undefined).data
  const [who, what] = [read(actor, 'actor'), read(action, 'action')]
  return { ...(who ? { actor: who } : {}), ...(what ? { action: what } : {}) }
}

/** Whether the API accepts a text as the actor. */
export const acceptsActor = (text: string) => actor.safeParse(text).success
