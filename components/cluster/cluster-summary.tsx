import type { ReactNode } from 'react'
import type { Cluster, Orchestrator } from '@/lib/contract/cluster/cluster'
import { Badge } from '../ui/badge'
import { formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel } from '../ui/panel'
import { AllocationBar } from './gpus/allocation-bar'
import { policyOrders } from './policy/policy-orders'

interface ClusterSummaryProps {
  status: Cluster['cluster_status']
  /** Undefined while it loads. */
  scheduler: Orchestrator | undefined
}

/** The cluster in six figures. Each has its place from the start, so that nothing moves. */
export function ClusterSummary({ status, scheduler }: ClusterSummaryProps) {
  const { available_gpus, total_gpus, allocated_gpus, utilization_percent, load_percent, simulated_gpus } =
    status
  return (
    <Panel>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 p-4 sm:grid-cols-3 xl:grid-cols-6">
        <Figure
          label="GPUs free"
          note={
            simulated_gpus > 0 ? <Badge tone="warning">{describeSimulated(status)}</Badge> : 'entirely free'
          }
        >
          {formatNumber(available_gpus)} <Of>of {formatNumber(total_gpus)}</Of>
        </Figure>
        <Figure
          label="GPUs allocated"
          note={
            load_percent === null ? 'including parts of GPUs' : `measured load ${Math.round(load_percent)} %`
          }
        >
          {formatNumber(Number(allocated_gpus.toFixed(2)))}
        </Figure>
        <Figure
          label="Utilisation"
          note={<AllocationBar share={utilization_percent / 100} className="w-full max-w-32" />}
        >
          {Math.round(utilization_percent)} %
        </Figure>
        <Figure label="Nodes ready" note="accept jobs">
          {formatNumber(status.ready_nodes)} <Of>of {formatNumber(status.nodes)}</Of>
        </Figure>
        <Figure
          label="Jobs waiting"
          note={`${scheduler ? formatNumber(scheduler.running_jobs) : '–'} running`}
        >
          <Link variant="quiet" href="#queue">
            {scheduler ? formatNumber(scheduler.queued) : '–'}
            <span className="sr-only">: go to the queue</span>
          </Link>
        </Figure>
        <Figure label="Scheduler" note={describeDecider(scheduler)}>
          {scheduler ? (scheduler.running ? 'Running' : 'Stopped') : '–'}
        </Figure>
      </dl>
    </Panel>
  )
}

/** The policy, or Slurm. */
function describeDecider(scheduler: Orchestrator | undefined): string {
  if (!scheduler) return '–'
  if (!scheduler.slurm) return policyOrders[scheduler.scheduling_policy].label.toLowerCase()
  const { version, problem } = scheduler.slurm
  if (problem !== null) return 'Slurm does not answer'
  return version === null ? 'Slurm' : `Slurm ${version}`
}

function describeSimulated({ simulated_gpus, total_gpus }: Cluster['cluster_status']): string {
  return simulated_gpus === total_gpus ? 'all simulated' : `${formatNumber(simulated_gpus)} simulated`
}

function Of({ children }: { children: ReactNode }) {
  return <span className="font-normal text-muted text-sm">{children}</span>
}

function Figure({ label, note, children }: { label: string; note: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-subtle text-xs">{label}</dt>
      <dd>
        <span className="block font-semibold text-ink text-xl tabular-nums">{children}</span>
        <span className="flex min-h-5 items-center text-subtle text-xs">{note}</span>
      </dd>
    </div>
  )
}
