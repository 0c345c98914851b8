import type { SlurmClusterView } from '@/lib/slurm/contract'
import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'
import { formatCount } from '../ui/format-number'

/** Names the nodes on which jobs of gpuq cannot run, and tells admins what to do. */
export function MissingWorkers({ totals, admin }: { totals: SlurmClusterView['totals']; admin: boolean }) {
  const { nodes_without_worker: missing, without_worker: names } = totals
  if (missing === 0) return null
  const more = missing > names.length ? ` and ${missing - names.length} more` : ''
  return (
    <Callout tone="warning" title={`${formatCount(missing, 'node')} without a worker of gpuq`}>
      <p className="wrap-anywhere">
        {names.join(', ')}
        {more}. If Slurm starts a job of gpuq there, the job waits five minutes for a worker and is then
        submitted again.{' '}
        {admin
          ? 'Start a worker on each of them, or send the jobs to a partition without them.'
          : 'An admin can start a worker there.'}
      </p>
      {admin ? (
        <div className="mt-2">
          <CodeBlock
            label="command that starts a worker on a Slurm node"
            title="On each node, with the name that it has in Slurm"
            code={'GPUQ_ENGINE=slurm DATABASE_URL="postgresql://…" npx gpuq worker --name "$(hostname -s)"'}
            wrap
          />
        </div>
      ) : null}
    </Callout>
  )
}
