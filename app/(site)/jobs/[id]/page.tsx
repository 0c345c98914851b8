import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { type FirstOutput, noOutput } from '@/components/jobs/detail/first-output'
import { JobView } from '@/components/jobs/detail/job-view'
import { jobStateOf, tabTitle } from '@/components/jobs/job-status'
import { jobTitle } from '@/components/jobs/job-title'
import { keys } from '@/components/queries/queries'
import { type Actor, isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'
import type { JobDetail } from '@/lib/contract/jobs'
import { readJob } from '@/lib/jobs/read/read'
import { ownReader } from '@/lib/results/reading/output-reader'
import { readFirstRecords, readLastRecords } from '@/lib/results/reading/read-output'
import { nullIfNotFound } from '../../null-if-not-found'
import { ifLoadedSoon, Prefetched } from '../../prefetched'
import { requireActor } from '../../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../../search-params'

type Props = { params: Promise<{ id: string }>; searchParams: SearchParams }

/** Read once for the page and its title. */
const findJob = cache((actor: Actor, id: string) => nullIfNotFound(readJob(actor, id)))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [actor, { id }] = await Promise.all([currentActor(), params])
  const job = actor && (await findJob(actor, id))
  return { title: job ? tabTitle(jobStateOf(job), jobTitle(job)) : 'Job' }
}

export default async function JobPage({ params, searchParams }: Props) {
  const [{ id }, search] = await Promise.all([params, readSearchParams(searchParams)])
  const actor = await requireActor(withSearchParams(`/jobs/${encodeURIComponent(id)}`, search))
  const job = await findJob(actor, id)
  if (!job) notFound()
  const first = await ifLoadedSoon(firstOutput(actor, job).catch(() => undefined))
  return (
    <Prefetched queryKey={keys.job(job.job_id)} load={async () => job}>
      <JobView
        key={job.job_id}
        id={job.job_id}
        ownHandle={actor.handle}
        admin={isAdmin(actor)}
        firstOutput={first ?? noOutput}
      />
    </Prefetched>
  )
}

/** About as many lines as a window shows. */
const firstOutputBytes = 8 * 1024

/**
 * The records with which the page opens: the last ones of a job that runs, and of one whose program failed, because they say why; the first
 * ones of another job that has ended. On an error the browser reads the output again.
 */
async function firstOutput(
  { userId }: Actor,
  { job_id, attempt, output_bytes, result_file, status, reason }: JobDetail,
): Promise<FirstOutput> {
  if (output_bytes === 0) return noOutput
  const reader = ownReader(userId)
  const isShort = output_bytes <= firstOutputBytes
  if (!isShort && (status === 'running' || (status === 'failed' && reason === 'exit_code')))
    return { records: await readLastRecords(reader, job_id, attempt, firstOutputBytes), isTail: true }
  if (!isShort && result_file === null) return noOutput
  return { records: await readFirstRecords(reader, job_id, attempt, firstOutputBytes), isTail: false }
}
