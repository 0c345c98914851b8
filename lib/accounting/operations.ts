import { defineOperations, file, get, ok } from '../contract/operations/operation'
import * as accounting from './contract'

export const accountingOperations = defineOperations('accounting', 'accounting', {
  get: get(
    '/api/accounting',
    'read',
    'GPU hours, efficiency and waits by user, project, competition or week',
    {
      query: accounting.accountingQuerySchema,
      responses: ok(accounting.accountingSchema),
    },
  ),
  csv: get('/api/accounting.csv', 'read', 'The same as CSV, with all rows', {
    query: accounting.accountingQuerySchema,
    responses: file('CSV'),
  }),
})
