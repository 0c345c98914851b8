import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import type { Draft } from '@/components/jobs/submit/draft'
import { SubmitView } from '@/components/jobs/submit/submit-view'
import { keys } from '@/components/queries/queries'
import type { Actor } from '@/lib/access/actor'
import { listEnvironments } from '@/lib/access/environments'
import { GpuqError } from '@/lib/contract/errors'
import { readSource } from '@/lib/jobs/read/read'
import { Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../search-params'

export const metadata: Metadata = { title: 'New job' }

export default async function SubmitPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireActor(withSearchParams('/submit', params))
  const from = params.get('from')
  return (
    <Prefetched queryKey={keys.environments} load={() => listEnvironments(actor)}>
      <SubmitView
        key={from}
        handle={actor.handle}
        start={from === null ? null : await findSource(actor, from)}
      />
    </Prefetched>
  )
}

/** The files of a job to edit and run again. */
async function findSource(actor: Actor, id: string): Promise<Draft> {
  try {
    return await readSource(actor, id)
  } catch (error) {
    if (error instanceof GpuqError && error.code === 'not_found') notFound()
    throw error
  }
}
