import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { Approvals } from '@/components/agent-tokens/approvals'
import { ExperimentPlace } from '@/components/experiments/experiment-place'
import { GroupView } from '@/components/groups/group-view'
import { groupQuery } from '@/components/groups/queries'
import { type Actor, isAdmin } from '@/lib/access/actor'
import { currentActor } from '@/lib/access/sessions/current-actor'
import { groupTitle } from '@/lib/groups/contract-title'
import { readGroup } from '@/lib/groups/groups'
import { nullIfNotFound } from '../../null-if-not-found'
import { Prefetched } from '../../prefetched'
import { requireActor } from '../../require-actor'

type Props = { params: Promise<{ id: string }> }

/** Read once for the page and its title. */
const findGroup = cache((actor: Actor, id: string) => nullIfNotFound(readGroup(actor, id)))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const [actor, { id }] = await Promise.all([currentActor(), params])
  const group = actor && (await findGroup(actor, id))
  return { title: group ? groupTitle(group) : 'Group' }
}

export default async function GroupPage({ params }: Props) {
  const { id } = await params
  const actor = await requireActor(`/groups/${encodeURIComponent(id)}`)
  const group = await findGroup(actor, id)
  if (!group) notFound()
  const isOwn = group.user_id === actor.handle
  const mayDecide = isOwn || isAdmin(actor)
  return (
    <Prefetched queryKey={groupQuery(group.group_id).queryKey} load={async () => group}>
      <GroupView
        key={group.group_id}
        id={group.group_id}
        handle={actor.handle}
        mayChange={mayDecide}
        approval={mayDecide ? <Approvals everyone={!isOwn} only={group.group_id} /> : null}
      >
        <ExperimentPlace kind="group" id={group.group_id} of={group} />
      </GroupView>
    </Prefetched>
  )
}
