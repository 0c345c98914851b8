'use client'

import { useQuery } from '@tanstack/react-query'
import { ServerOff } from 'lucide-react'
import { Loaded } from '../shell/load-failure'
import { Reconnecting } from '../shell/reconnecting'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { NodeReportPanel } from './node-report-panel'
import { nodeReportsQuery } from './queries'

/** The health page: the checks of each node, problems first. */
export function HealthView() {
  const query = useQuery(nodeReportsQuery())
  return (
    <>
      <PageHeader
        title="Health"
        meta={<Reconnecting lost={query.isRefetchError} />}
        description="Each node checks its engine, disks, clock, network rules, default image and GPUs."
      />
      <Loaded
        query={query}
        placeholder={
          <Panel>
            <SkeletonRows rows={6} />
          </Panel>
        }
      >
        {(reports) =>
          reports.length === 0 ? (
            <Panel>
              <EmptyState icon={ServerOff} title="No nodes to check">
                Start a worker on a machine. Its node then appears here. Simulated nodes are not checked.
              </EmptyState>
            </Panel>
          ) : (
            <div className="flex flex-col gap-4">
              {reports.map((report) => (
                <NodeReportPanel key={report.node_id} report={report} />
              ))}
            </div>
          )
        }
      </Loaded>
    </>
  )
}
