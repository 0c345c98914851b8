import { auditActionPattern } from '@/lib/contract/access/audit-actions'
import { idPattern } from '@/lib/contract/id-pattern'

/** The filters in the page's address, without values that the API would reject. */
export function toAuditFilters(params: Pick<URLSearchParams, 'get'>): { actor?: string; action?: string } {
  const [actor, action] = [params.get('actor') ?? '', params.get('action') ?? '']
  return { ...(acceptsActor(actor) ? { actor } : {}), ...(auditActionPattern.test(action) ? { action } : {}) }
}

/** Whether the API accepts a text as the actor. */
export const acceptsActor = (text: string) => idPattern.test(text)
