'use client'

import type { ReactNode } from 'react'
import type { Cluster, Orchestrator } from '@/lib/contract/cluster'
import { Badge } from '../ui/badge'
import { Link } from '../ui/link'
import { Panel } from '../ui/panel'
import { AllocationBar } from './gpus/allocation-bar'
import { policyNames } from './policy/policy-names'

interface ClusterFiguresProps {
  status: Cluster['cluster_status']
  /** Undefined while it is on its way. */
  scheduler: Orchestrator | undefined
}

/** The cluster in six figures. Every one has its place from the start. */
export function ClusterFigures({ status, scheduler }: ClusterFiguresProps) {
  const { available_gpus, total_gpus, allocated_gpus, utilization_percent, simulated_gpus } = status
  return (
    <Panel>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 p-4 sm:grid-cols-3 xl:grid-cols-6">
        <Figure
          label="GPUs free"
          note={
            simulated_gpus > 0 ? <Badge tone="warning">{describeSimulated(status)}</Badge> : 'wholly free'
          }
        >
          {available_gpus.toLocaleString('en')} <Of>of {total_gpus.toLocaleString('en')}</Of>
        </Figure>
        <Figure label="GPUs given out" note="parts counted as parts">
          {Number(allocated_gpus.toFixed(2)).toLocaleString('en')}
        </Figure>
        <Figure
          label="Utilisation"
          note={<AllocationBar share={utilization_percent / 100} className="w-full max-w-32" />}
        >
          {Math.round(utilization_percent)} %
        </Figure>
        <Figure label="Nodes ready" note="take jobs now">
          {status.ready_nodes.toLocaleString('en')} <Of>of {status.nodes.toLocaleString('en')}</Of>
        </Figure>
        <Figure label="Jobs waiting" note={`${scheduler?.running_jobs.toLocaleString('en') ?? '–'} running`}>
          <Link look="quiet" href="#queue">
            {scheduler?.queued.toLocaleString('en') ?? '–'}
            <span className="sr-only">: to the queue</span>
          </Link>
        </Figure>
        <Figure
          label="Scheduler"
          note={scheduler ? `by ${policyNames[scheduler.scheduling_policy].toLowerCase()}` : '–'}
        >
          {scheduler ? (scheduler.running ? 'Running' : 'Stopped') : '–'}
        </Figure>
      </dl>
    </Panel>
  )
}

function describeSimulated({ simulated_gpus, total_gpus }: Cluster['cluster_status']): string {
  return simulated_gpus === total_gpus ? 'all simulated' : `${simulated_gpus.toLocaleString('en')} simulated`
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
