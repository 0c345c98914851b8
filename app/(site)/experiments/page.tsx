import type { Metadata } from 'next'
import { ExperimentList } from '@/components/experiments/experiment-list'
import { experimentsQuery } from '@/components/experiments/queries'
import { experimentListQuerySchema } from '@/lib/experiments/contract'
import { listExperiments } from '@/lib/experiments/experiments'
import { firstPage, Prefetched } from '../prefetched'
import { requireActor } from '../require-actor'
import { readSearchParams, type SearchParams, withSearchParams } from '../search-params'

export const metadata: Metadata = { title: 'Experiments' }

export default async function ExperimentsPage({ searchParams }: { searchParams: SearchParams }) {
  const params = await readSearchParams(searchParams)
  const actor = await requireActor(withSearchParams('/experiments', params))
  const project = params.get('project')
  const query = experimentListQuerySchema.safeParse({ project_id: project ?? undefined })
  const load = () => firstPage(listExperiments(actor, query.data ?? experimentListQuerySchema.parse({})))
  return (
    <Prefetched queryKey={experimentsQuery(project).queryKey} load={load}>
      <ExperimentList project={project} />
    </Prefetched>
  )
}
