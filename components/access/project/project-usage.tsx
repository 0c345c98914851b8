import type { Project } from '@/lib/contract/access/projects'
import { DataList, Datum } from '../../ui/data-list'
import { formatNumber } from '../../ui/format-number'

/** A project's shares and its used GPU hours. */
export function ProjectUsage({ project }: { project: Project }) {
  const { weight, gpu_quota, gpu_hour_budget } = project.shares
  const hours = project.gpu_hours_used.toLocaleString('en', { maximumFractionDigits: 1 })
  return (
    <DataList className="grid-cols-3">
      <Datum label="Weight">{weight}</Datum>
      <Datum label="GPU quota">{gpu_quota ?? 'none'}</Datum>
      <Datum label="GPU hours used">
        {hours}
        {gpu_hour_budget === null ? '' : ` of ${formatNumber(gpu_hour_budget)}`}
      </Datum>
    </DataList>
  )
}
