import { listAudit } from '@/lib/access/audit'
import { listAuditSchema } from '@/lib/contract/access'
import { pageResponse } from '@/lib/http/pagination'
import { readQuery, route } from '@/lib/http/route'

export const GET = route('admin', async ({ actor, request, url }) =>
  pageResponse(request, await listAudit(actor, readQuery(url, listAuditSchema))),
)
