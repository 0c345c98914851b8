'use client'

import { X } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { uploadStatuses } from '@/lib/jobs/status'
import { Button } from '../../ui/button'
import { Segmented } from '../../ui/segmented'
import { statusLooks } from '../job-status'
import { IdFilter } from './id-filter'
import { type FilterName, filterNames, withFilter } from './job-query'

const anyStatus = 'any'
const statusOptions = [
  { value: anyStatus, label: 'All' },
  ...uploadStatuses.map((status) => ({ value: status, label: statusLooks[status].label })),
]

/** Changes the address without asking the server for the page again: the list follows the address by itself. */
function go(search: string, how: 'pushState' | 'replaceState'): void {
  window.history[how](null, '', search || window.location.pathname)
}

/** Narrows the list of jobs. What is chosen stands in the address, to be shared and gone back to. */
export function JobFilters({ everyone }: { everyone: boolean }) {
  const params = useSearchParams()
  const search = (name: FilterName, value: string | null) =>
    withFilter(new URLSearchParams(params), name, value)
  const idFilters = [
    { name: 'competition_id', label: 'Competition' },
    { name: 'project_id', label: 'Project' },
    ...(everyone ? ([{ name: 'user_id', label: 'User' }] as const) : []),
  ] as const
  return (
    <search className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5">
      <div className="-m-1 mr-1 min-w-0 max-w-full overflow-x-auto p-1">
        <Segmented
          label="Status"
          value={params.get('status') ?? anyStatus}
          onValueChange={(status) => go(search('status', status === anyStatus ? null : status), 'pushState')}
          options={statusOptions}
          className="h-8"
        />
      </div>
      {idFilters.map(({ name, label }) => (
        <IdFilter
          key={name}
          label={label}
          value={params.get(name) ?? ''}
          onValue={(id) => go(search(name, id), 'replaceState')}
        />
      ))}
      {filterNames.some((name) => params.has(name)) ? (
        <Button variant="ghost" onClick={() => go('', 'pushState')}>
          <X aria-hidden />
          Clear
        </Button>
      ) : null}
    </search>
  )
}
