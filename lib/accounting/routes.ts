import { route } from '../http/route'
import { downloadAccounting } from './download-accounting'
import { accountingOperations } from './operations'
import { readAccounting } from './read-accounting'

export const accountingRoutes = {
  get: route(accountingOperations.get, ({ actor, query }) => readAccounting(actor, query)),

  csv: route(accountingOperations.csv, ({ actor, query }) => downloadAccounting(actor, query)),
}
