import { listAudit } from '@/lib/access/audit'
import { auditOperations } from '@/lib/contract/operations/access'
import { route } from '@/lib/http/route'

export const GET = route(auditOperations.list, ({ actor, query }) => listAudit(actor, query))
