import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { slurmTargetsQuery } from '@/components/slurm/queries'
import { TargetList } from '@/components/slurm/target-list'
import { env } from '@/lib/env'
import { listTargets } from '@/lib/slurm/cluster/targets'
import { Prefetched } from '../../prefetched'
import { requireAdmin } from '../../require-actor'

export const metadata: Metadata = { title: 'Slurm' }

/** Exists only if Slurm is the engine. */
export default async function SlurmPage() {
  const actor = await requireAdmin('/admin/slurm')
  if (env().GPUQ_ENGINE !== 'slurm') notFound()
  return (
    <Prefetched queryKey={slurmTargetsQuery().queryKey} load={() => listTargets(actor)}>
      <TargetList />
    </Prefetched>
  )
}
