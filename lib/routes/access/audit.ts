import { listAudit } from '../../access/audit'
import { auditOperations } from '../../contract/operations/access'
import { route } from '../../http/route'

export const auditRoutes = {
  list: route(auditOperations.list, ({ actor, query }) => listAudit(actor, query)),
}
