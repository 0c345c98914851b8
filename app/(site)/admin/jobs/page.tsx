import type { Metadata } from 'next'
import { JobList } from '@/components/jobs/list/job-list'
import { toJobQuery } from '@/components/jobs/list/job-query'
import { keys } from '@/components/queries/queries'
import { listJobs } from '@/lib/jobs/read/list'
import { pageAdmin } from '../../page-actor'
import { type PageSearch, readSearch, withSearch } from '../../page-search'
import { Prefetched } from '../../prefetched'

export const metadata: Metadata = { title: 'All jobs' }

export default async function AllJobsPage({ searchParams }: { searchParams: PageSearch }) {
  const params = await readSearch(searchParams)
  const actor = await pageAdmin(withSearch('/admin/jobs', params))
  const query = toJobQuery(params, { everyone: true })
  return (
    <Prefetched queryKey={keys.jobList(query)} load={() => listJobs(actor, query)}>
      <JobList everyone />
    </Prefetched>
  )
}
