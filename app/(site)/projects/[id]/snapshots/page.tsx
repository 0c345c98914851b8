import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { snapshotsQuery } from '@/components/snapshots/queries'
import { SnapshotList } from '@/components/snapshots/snapshot-list'
import { snapshotsPath } from '@/components/snapshots/snapshot-paths'
import { getProject } from '@/lib/access/projects/projects'
import { listSnapshotsSchema } from '@/lib/snapshots/contract'
import { listSnapshots } from '@/lib/snapshots/list-snapshots'
import { nullIfNotFound } from '../../../null-if-not-found'
import { firstPage, Prefetched } from '../../../prefetched'
import { requireActor } from '../../../require-actor'

export const metadata: Metadata = { title: 'Snapshots' }

export default async function SnapshotsPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params
  const actor = await requireActor(snapshotsPath(id))
  const project = await nullIfNotFound(getProject(actor, id))
  if (!project) notFound()
  const { project_id, owner, may_push } = project
  return (
    <Prefetched
      queryKey={snapshotsQuery(id).queryKey}
      load={() => firstPage(listSnapshots(actor, id, listSnapshotsSchema.parse({})))}
    >
      <SnapshotList project={{ id, project_id, owner, may_push }} />
    </Prefetched>
  )
}
