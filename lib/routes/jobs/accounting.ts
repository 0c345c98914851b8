import { accountingOperations } from '../../contract/operations/accounting'
import { route } from '../../http/route'
import { downloadAccounting } from '../../jobs/accounting/download-accounting'
import { readAccounting } from '../../jobs/accounting/read-accounting'

export const accountingRoutes = {
  get: route(accountingOperations.get, ({ actor, query }) => readAccounting(actor, query)),

  csv: route(accountingOperations.csv, ({ actor, query }) => downloadAccounting(actor, query)),
}
