import { useSearchParams } from 'next/navigation'
import { updateSearchParams } from '@/components/shell/update-search-params'
import { Select } from '@/components/ui/select'
import { withGroup } from '../jobs/compare-path'
import type { GroupChoice } from './group-jobs'

const none = 'none'

/** Chooses by what the jobs are grouped. */
export function GroupSelect({ by, choices }: { by: string | null; choices: readonly GroupChoice[] }) {
  const address = useSearchParams()
  const change = (value: string) =>
    updateSearchParams(withGroup(new URLSearchParams(address), value === none ? null : value), 'replace')
  return (
    <span className="flex items-center gap-2 text-muted text-sm">
      <span aria-hidden>Group by</span>
      <Select
        aria-label="Group by"
        className="w-48"
        disabled={choices.length === 0}
        value={by ?? none}
        onValueChange={change}
        options={[
          { value: none, label: 'None' },
          ...choices.map((choice) => ({ value: choice.by, label: choice.label })),
        ]}
      />
    </span>
  )
}
