import type { Metadata } from 'next'
import { readRequest } from '@/components/accounting/accounting-request'
import { AccountingView } from '@/components/accounting/accounting-view'
import { accountingQuery } from '@/components/accounting/queries'
import { Budgets } from '@/components/budgets/budgets'
import { isAdmin } from '@/lib/access/actor'
import { readAccounting } from '@/lib/accounting/read-accounting'
import { ifLoadedSoon, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../search-params'

export const metadata: Metadata = { title: 'Accounting' }

export default async function AccountingPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireActor(withSearchParams('/accounting', params))
  const rows = readRequest(params)
  const weeks = { ...rows, by: 'week' as const }
  return (
    <Prefetched
      queryKey={accountingQuery(rows).queryKey}
      load={() => ifLoadedSoon(readAccounting(actor, rows))}
    >
      <Prefetched
        queryKey={accountingQuery(weeks).queryKey}
        load={() => ifLoadedSoon(readAccounting(actor, weeks))}
      >
        <AccountingView everyone={isAdmin(actor)} budgets={<Budgets />} />
      </Prefetched>
    </Prefetched>
  )
}
