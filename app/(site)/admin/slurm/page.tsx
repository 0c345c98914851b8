import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { TargetList } from '@/components/admin/slurm/target-list'
import { slurmTargetsQuery } from '@/components/queries/slurm'
import { listTargets } from '@/lib/cluster/slurm/targets'
import { usesSlurm } from '@/lib/env/engine'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Slurm' }

/** Exists only if Slurm is the engine. */
export default async function SlurmPage() {
  const actor = await requireAdmin('/admin/slurm')
  if (!usesSlurm()) notFound()
  return (
    <Prefetched queryKey={slurmTargetsQuery().queryKey} load={() => listTargets(actor)}>
      <TargetList />
    </Prefetched>
  )
}
