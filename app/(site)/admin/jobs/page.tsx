import type { Metadata } from 'next'
import { activeGroupsQuery } from '@/components/groups/queries'
import { JobList } from '@/components/jobs/list/job-list'
import { toJobQuery } from '@/components/jobs/list/job-query'
import { keys } from '@/components/queries/queries'
import { listGroups } from '@/lib/groups/groups'
import { listJobs } from '@/lib/jobs/read/list'
import { ifLoadedSoon, Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../../search-params'

export const metadata: Metadata = { title: 'All jobs' }

export default async function AllJobsPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireAdmin(withSearchParams('/admin/jobs', params))
  const query = toJobQuery(params, { everyone: true })
  return (
    <Prefetched queryKey={keys.jobList(query)} load={() => listJobs(actor, query)}>
      <Prefetched
        queryKey={activeGroupsQuery(true).queryKey}
        load={() => ifLoadedSoon(listGroups(actor, { all: true, active: true, limit: 20 }))}
      >
        <JobList everyone />
      </Prefetched>
    </Prefetched>
  )
}
