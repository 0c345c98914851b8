import type { Metadata } from 'next'
import { CompetitionList } from '@/components/competitions/competition-list'
import { competitionsQuery } from '@/components/competitions/queries'
import { listCompetitions } from '@/lib/competitions/setup/read-competition'
import { firstPage, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'

export const metadata: Metadata = { title: 'Competitions' }

export default async function CompetitionsPage() {
  const actor = await requireActor('/competitions')
  const load = () => firstPage(listCompetitions(actor, { limit: 50, joined: false }))
  return (
    <Prefetched queryKey={competitionsQuery().queryKey} load={load}>
      <CompetitionList />
    </Prefetched>
  )
}
