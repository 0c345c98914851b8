import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { CompetitionView } from '@/components/competitions/competition-view'
import { competitionQuery } from '@/components/competitions/queries'
import type { Actor } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { getCompetition } from '@/lib/competitions/setup/read-competition'
import { nullIfNotFound } from '../../null-if-not-found'
import { Prefetched } from '../../prefetched'
import { requireActor } from '../../require-actor'

type Props = { params: Promise<{ id: string }> }

/** Read once for the page and its title. */
const find = cache((actor: Actor | null, id: string) => nullIfNotFound(getCompetition(actor, id)))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [actor, { id }] = await Promise.all([currentActor(), params])
  return { title: (await find(actor, id))?.title ?? 'Competition' }
}

export default async function CompetitionPage({ params }: Props) {
  const [actor, { id }] = await Promise.all([currentActor(), params])
  const competition = await find(actor, id)
  if (!competition) {
    // It may be one that needs an account.
    await requireActor(`/competitions/${encodeURIComponent(id)}`)
    notFound()
  }
  return (
    <Prefetched
      queryKey={competitionQuery(competition.competition_id).queryKey}
      load={async () => competition}
    >
      <CompetitionView competition={competition.competition_id} handle={actor?.handle ?? null} />
    </Prefetched>
  )
}
