import type { SlurmTargetView } from '@/lib/contract/cluster/slurm'

/** The jobs to which a row applies. */
export function describeJobs({
  owner,
  project_id,
  pool,
}: Pick<SlurmTargetView, 'owner' | 'project_id' | 'pool'>): string {
  const project = owner === null ? null : `${owner}/${project_id}`
  if (pool === null) return project ?? 'all jobs'
  return project === null ? `pool ${pool}` : `${project} in pool ${pool}`
}
