import { accountingOperations } from '@/lib/contract/operations/accounting'
import { route } from '@/lib/http/route'
import { downloadAccounting } from '@/lib/jobs/accounting/download-accounting'

export const GET = route(accountingOperations.csv, ({ actor, query }) => downloadAccounting(actor, query))
