import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { versionsQuery } from '@/components/snapshots/queries'
import { versionsPath } from '@/components/snapshots/snapshot-paths'
import { SnapshotVersions } from '@/components/snapshots/snapshot-versions'
import { isAdmin } from '@/lib/access/actor'
import { getProject } from '@/lib/access/projects/projects'
import { refuseSnapshotName } from '@/lib/contract/archives/snapshot-name'
import { listVersionsSchema } from '@/lib/snapshots/contract'
import { listVersions } from '@/lib/snapshots/list-snapshots'
import { nullIfNotFound } from '../../../../null-if-not-found'
import { firstPage, Prefetched } from '../../../../prefetched'
import { requireActor } from '../../../../require-actor'

type Props = { params: Promise<{ id: string; name: string[] }> }

/** A valid name has no character that an address escapes. */
const nameOf = (parts: readonly string[]) => parts.join('/')

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: nameOf((await params).name) }
}

export default async function SnapshotPage({ params }: Props) {
  const { id, name: parts } = await params
  const name = nameOf(parts)
  const actor = await requireActor(versionsPath(id, name))
  const project = refuseSnapshotName(name) === null ? await nullIfNotFound(getProject(actor, id)) : null
  if (!project) notFound()
  const { project_id, owner, may_push } = project
  return (
    <Prefetched
      queryKey={versionsQuery(id, name).queryKey}
      load={() => firstPage(listVersions(actor, id, listVersionsSchema.parse({ name })))}
    >
      <SnapshotVersions
        project={{ id, project_id, owner, may_push }}
        name={name}
        handle={actor.handle}
        admin={isAdmin(actor)}
      />
    </Prefetched>
  )
}
