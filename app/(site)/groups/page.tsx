import type { Metadata } from 'next'
import { GroupList } from '@/components/groups/group-list'
import { groupsQuery } from '@/components/groups/queries'
import { isAdmin } from '@/lib/access/actor'
import { listGroups } from '@/lib/groups/groups'
import { firstPage, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../search-params'

export const metadata: Metadata = { title: 'Groups' }

export default async function GroupsPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireActor(withSearchParams('/groups', params))
  const all = params.get('all') === 'true' && isAdmin(actor)
  const load = () => firstPage(listGroups(actor, { all, limit: 50 }))
  return (
    <Prefetched queryKey={groupsQuery(all).queryKey} load={load}>
      <GroupList admin={isAdmin(actor)} />
    </Prefetched>
  )
}
