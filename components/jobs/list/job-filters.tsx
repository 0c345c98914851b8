import { Star, X } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { singleValue, withValue } from '@/lib/contract/search/format-search'
import { uploadStatuses } from '@/lib/contract/status'
import { updateSearchParams } from '../../shell/update-search-params'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Segmented } from '../../ui/segmented'
import { stateStyles } from '../job-status'
import { SearchBox } from '../search/search-box'
import { readSearch, withSearch } from './job-query'

const anyStatus = 'any'
const statusOptions = [
  { value: anyStatus, label: 'All' },
  ...uploadStatuses.map((status) => ({ value: status, label: stateStyles[status].label })),
]

interface JobFiltersProps {
  everyone: boolean
  /** Buttons at the end of the line. */
  children: ReactNode
}

/** Searches the list of jobs. The search is part of the address, so that users can share it. The buttons change its terms. */
export function JobFilters({ everyone, children }: JobFiltersProps) {
  const params = new URLSearchParams(useSearchParams())
  const search = readSearch(params, { everyone })
  const status = singleValue(search, 'status')
  const starred = singleValue(search, 'is') === 'starred'
  const change = (text: string, mode: 'push' | 'replace') =>
    updateSearchParams(withSearch(params, text), mode)
  return (
    <search className="flex flex-col gap-2 border-b px-4 py-2.5">
      <SearchBox value={search} everyone={everyone} onValue={(text) => change(text, 'replace')} />
      <div className="flex flex-wrap items-center gap-2">
        <div className="-m-1 mr-1 min-w-0 max-w-full overflow-x-auto p-1">
          <Segmented
            label="Status"
            value={status ?? anyStatus}
            onValueChange={(chosen) =>
              change(withValue(search, 'status', chosen === anyStatus ? null : chosen), 'push')
            }
            options={statusOptions}
            className="h-8"
          />
        </div>
        <IconButton
          icon={Star}
          label="Only jobs with a star"
          size="lg"
          variant="secondary"
          pressed={starred}
          onClick={() => change(withValue(search, 'is', starred ? null : 'starred'), 'push')}
          className={starred ? '[&_svg]:fill-current' : ''}
        />
        {search ? (
          <Button icon={X} variant="ghost" onClick={() => change('', 'push')}>
            Clear
          </Button>
        ) : null}
        <div className="ml-auto flex flex-wrap items-center gap-2 max-sm:flex-1">{children}</div>
      </div>
    </search>
  )
}
