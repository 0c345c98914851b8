import type { Project } from '@/lib/contract/access/projects'
import { DataList, Datum } from '../../ui/data-list'

/** A project's shares and its used GPU hours. */
export function ProjectUsage({ project }: { project: Project }) {
  const { weight, gpu_quota } = project.shares
  const hours = project.gpu_hours_used.toLocaleString('en', { maximumFractionDigits: 1 })
  return (
    <DataList className="grid-cols-3">
      <Datum label="Weight">{weight}</Datum>
      <Datum label="GPU quota">{gpu_quota ?? 'none'}</Datum>
      <Datum label="GPU hours used">{hours}</Datum>
    </DataList>
  )
}
