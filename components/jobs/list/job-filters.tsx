import { Star, X } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { tagSchema } from '@/lib/contract/job-queries'
import { idPattern } from '@/lib/contract/jobs'
import { uploadStatuses } from '@/lib/contract/status'
import { TextFilter } from '../../shell/text-filter'
import { updateSearchParams } from '../../shell/update-search-params'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Segmented } from '../../ui/segmented'
import { stateStyles } from '../job-status'
import { type FilterName, filterNames, withFilter } from './job-query'

const anyStatus = 'any'
const statusOptions = [
  { value: anyStatus, label: 'All' },
  ...uploadStatuses.map((status) => ({ value: status, label: stateStyles[status].label })),
]

const ownFilters = [
  { name: 'competition_id', label: 'Competition' },
  { name: 'project_id', label: 'Project' },
] as const satisfies { name: FilterName; label: string }[]
const everyoneFilters = [...ownFilters, { name: 'user_id', label: 'User' }] as const

const acceptsId = (text: string) => idPattern.test(text)
const acceptsTag = (text: string) => tagSchema.safeParse(text).success

/** Filters the list of jobs. The filters are part of the address, so that users can share them. */
export function JobFilters({ everyone }: { everyone: boolean }) {
  const params = new URLSearchParams(useSearchParams())
  const starred = params.get('starred') === 'true'
  return (
    <search className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5">
      <div className="-m-1 mr-1 min-w-0 max-w-full overflow-x-auto p-1">
        <Segmented
          label="Status"
          value={params.get('status') ?? anyStatus}
          onValueChange={(status) =>
            updateSearchParams(withFilter(params, 'status', status === anyStatus ? null : status), 'push')
          }
          options={statusOptions}
          className="h-8"
        />
      </div>
      {(everyone ? everyoneFilters : ownFilters).map(({ name, label }) => (
        <TextFilter
          key={name}
          label={label}
          value={params.get(name) ?? ''}
          accepts={acceptsId}
          onValue={(id) => updateSearchParams(withFilter(params, name, id), 'replace')}
        />
      ))}
      <TextFilter
        label="Tag"
        value={params.get('tag') ?? ''}
        accepts={acceptsTag}
        onValue={(tag) => updateSearchParams(withFilter(params, 'tag', tag), 'replace')}
      />
      <IconButton
        icon={Star}
        label="Only jobs with a star"
        size="lg"
        variant="secondary"
        pressed={starred}
        onClick={() => updateSearchParams(withFilter(params, 'starred', starred ? null : 'true'), 'push')}
        className={starred ? '[&_svg]:fill-current' : ''}
      />
      {filterNames.some((name) => params.has(name)) ? (
        <Button icon={X} variant="ghost" onClick={() => updateSearchParams(new URLSearchParams(), 'push')}>
          Clear
        </Button>
      ) : null}
    </search>
  )
}
