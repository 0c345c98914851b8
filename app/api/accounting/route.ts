import { accountingOperations } from '@/lib/contract/operations/accounting'
import { route } from '@/lib/http/route'
import { readAccounting } from '@/lib/jobs/accounting/read-accounting'

export const GET = route(accountingOperations.get, ({ actor, query }) => readAccounting(actor, query))
