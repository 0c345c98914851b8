import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AccountingQuery } from '@/lib/accounting/contract'
import { routes } from '@/lib/http/client/routes'
import { api } from '../queries/queries'

/** What jobs used in a range of days. */
export const accountingQuery = (query: AccountingQuery) =>
  queryOptions({
    queryKey: ['accounting', query],
    queryFn: ({ signal }) => api.accounting.get(query, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

/** Where all rows can be downloaded as CSV. */
export const accountingCsvUrl = (query: AccountingQuery) => api.addressOf(routes.accounting.csv, query)
