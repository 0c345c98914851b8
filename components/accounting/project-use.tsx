import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { accountingQuery } from '@/components/accounting/queries'
import { Loaded } from '../shell/load-failure'
import { EmptyState } from '../ui/empty-state'
import { Panel, PanelHeader } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { UsageTable } from './usage-table'
import { toWeekBars } from './week-bars'
import { WeekChart } from './week-chart'

interface ProjectUseProps {
  /** The id of the project. */
  id: string
  /** The owner, managers and admins see the use of all members. */
  everyone: boolean
}

/** The GPU hours of a project in the last 12 weeks, by week and by member. */
export function ProjectUse({ id, everyone }: ProjectUseProps) {
  const weeks = useQuery(accountingQuery({ by: 'week', project: id }))
  const members = useQuery(accountingQuery({ by: 'user', project: id }))
  return (
    <Panel>
      <PanelHeader
        title="GPU hours by week"
        description={everyone ? 'The last 12 weeks.' : 'Your jobs of the last 12 weeks.'}
      />
      <Loaded query={weeks} placeholder={<SkeletonRows rows={6} />} failureClass="m-4">
        {(accounting) =>
          accounting.row_count === 0 ? (
            <EmptyState icon={ChartColumn} title="No jobs in the last 12 weeks">
              Submit a job with this project_id. Its GPU hours appear here when it starts.
            </EmptyState>
          ) : (
            <WeekChart bars={toWeekBars(accounting.rows, accounting)} />
          )
        }
      </Loaded>
      {members.data && members.data.row_count > 0 ? <UsageTable accounting={members.data} /> : null}
    </Panel>
  )
}
