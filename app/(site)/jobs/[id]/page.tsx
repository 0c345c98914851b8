import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { JobView } from '@/components/jobs/detail/job-view'
import { jobTitle } from '@/components/jobs/job-title'
import { keys } from '@/components/queries/queries'
import type { Actor } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { GpuqError } from '@/lib/contract/errors'
import type { JobDetail } from '@/lib/contract/jobs'
import { readJob } from '@/lib/jobs/read/read'
import { Prefetched } from '../../prefetched'
import { requireActor } from '../../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../../search-params'

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams }

/** Read once for the page and its title. Null if the actor may not see the job. */
const findJob = cache(async (actor: Actor, id: string): Promise<JobDetail | null> => {
  try {
    return await readJob(actor, id)
  } catch (error) {
    if (error instanceof GpuqError && error.code === 'not_found') return null
    throw error
  }
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [actor, { id }] = await Promise.all([currentActor(), params])
  const job = actor && (await findJob(actor, id))
  return { title: job ? jobTitle(job) : 'Job' }
}

export default async function JobPage({ params, searchParams }: Props) {
  const [{ id }, search] = await Promise.all([params, readSearchParams(searchParams)])
  const actor = await requireActor(withSearchParams(`/jobs/${encodeURIComponent(id)}`, search))
  const job = await findJob(actor, id)
  if (!job) notFound()
  return (
    <Prefetched queryKey={keys.job(job.job_id)} load={async () => job}>
      <JobView key={job.job_id} id={job.job_id} ownHandle={actor.handle} />
    </Prefetched>
  )
}
