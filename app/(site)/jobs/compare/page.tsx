import { dehydrate, HydrationBoundary, QueryClient } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { CompareView } from '@/components/comparison/compare-view'
import { comparePath, readCompared } from '@/components/jobs/compare-path'
import { keys } from '@/components/queries/queries'
import { readJob } from '@/lib/jobs/read/read'
import { nullIfNotFound } from '../../null-if-not-found'
import { requireActor } from '../../require-actor'
import { readSearchParams, type SearchParams } from '../../search-params'

export const metadata: Metadata = { title: 'Compare jobs' }

export default async function ComparePage({ searchParams }: { searchParams: SearchParams }) {
  const { ids, left } = readCompared((await readSearchParams(searchParams)).get('ids'))
  const actor = await requireActor(comparePath(ids))
  const jobs = await Promise.all(ids.map((id) => nullIfNotFound(readJob(actor, id))))
  const client = new QueryClient()
  for (const job of jobs) if (job) client.setQueryData(keys.job(job.job_id), job)
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CompareView
        ids={jobs.flatMap((job) => job?.job_id ?? [])}
        missing={ids.filter((_, at) => !jobs[at])}
        left={left}
      />
    </HydrationBoundary>
  )
}
