import { listAuditSchema } from '@/lib/contract/access'

const { actor, action } = listAuditSchema.shape

/** What of the log an address asks for. A value that the API would refuse is left out, as if it were not there. */
export function toAuditFilters(params: Pick<URLSearchParams, 'get'>): { actor?: string; action?: string } {
  const read = (schema: typeof actor | typeof action, name: string) =>
    schema.safeParse(params.get(name) || undefined).data
  const [who, what] = [read(actor, 'actor'), read(action, 'action')]
  return { ...(who ? { actor: who } : {}), ...(what ? { action: what } : {}) }
}

/** Whether the log can be asked for one person's, or one kind of, events. */
export const acceptsActor = (text: string) => actor.safeParse(text).success
export const acceptsAction = (text: string) => action.safeParse(text).success
