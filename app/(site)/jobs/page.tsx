import type { Metadata } from 'next'
import { JobList } from '@/components/jobs/list/job-list'
import { toJobQuery } from '@/components/jobs/list/job-query'
import { keys } from '@/components/queries/queries'
import { listJobs } from '@/lib/jobs/read/list'
import { pageActor } from '../page-actor'
import { type PageSearch, readSearch, withSearch } from '../page-search'
import { Prefetched } from '../prefetched'

export const metadata: Metadata = { title: 'Jobs' }

export default async function JobsPage({ searchParams }: { searchParams: PageSearch }) {
  const params = await readSearch(searchParams)
  const actor = await pageActor(withSearch('/jobs', params))
  const query = toJobQuery(params, { everyone: false })
  return (
    <Prefetched queryKey={keys.jobList(query)} load={() => listJobs(actor, query)}>
      <JobList />
    </Prefetched>
  )
}
