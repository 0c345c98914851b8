import { SlidersHorizontal } from 'lucide-react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { groupLabel } from '@/lib/metrics/contract-group-label'
import type { Results } from '@/lib/project-results/contract'
import { maxResultMetrics, type ResultColumn, resultColumns } from '@/lib/project-results/contract-columns'
import { sortNames } from '../jobs/list/sort-names'
import { SearchBox } from '../jobs/search/search-box'
import { Button } from '../ui/button'
import { DropdownMenu, MenuCheckbox, MenuItem, MenuLabel, MenuSeparator } from '../ui/dropdown-menu'
import { Select } from '../ui/select'
import { BestMenu } from './best-menu'
import type { ResultsView } from './results-view'

interface ToolbarProps {
  results: Pick<Results, 'metrics' | 'metric_names' | 'group_keys'>
  view: ResultsView
  /** Whether the user sees the jobs of others. */
  everyone: boolean
  onChange: (changes: Partial<ResultsView>) => void
}

/** Chooses which jobs and which columns the results have, and by what they are grouped. */
export function ResultsToolbar({ results, view, everyone, onChange }: ToolbarProps) {
  return (
    <div className="flex flex-wrap items-start gap-2 border-b px-4 py-2">
      <div className="min-w-60 flex-1">
        <SearchBox value={view.search} everyone={everyone} onValue={(search) => onChange({ search })} />
      </div>
      <GroupChoice keys={results.group_keys} group={view.group} onGroup={(group) => onChange({ group })} />
      <ColumnMenu results={results} view={view} onChange={onChange} />
      <BestMenu metrics={results.metrics} view={view} onBest={(best) => onChange({ best })} />
    </div>
  )
}

const noGroup = 'none'

interface GroupChoiceProps {
  keys: readonly string[]
  group: string | null
  onGroup: (group: string | null) => void
}

function GroupChoice({ keys, group, onGroup }: GroupChoiceProps) {
  // A link may name a key in which the jobs do not differ.
  const known = group === null || keys.includes(group) ? keys : [group, ...keys]
  const order = (key: string) => (key.startsWith('tag') ? 0 : key.startsWith('config.args.') ? 1 : 2)
  const options = known
    .toSorted((one, other) => order(one) - order(other) || one.localeCompare(other, 'en', { numeric: true }))
    .map((value) => ({ value, label: `By ${visibleText(groupLabel(value), 60)}` }))
  return (
    <Select
      aria-label="Group the jobs"
      className="w-48 max-w-full"
      options={[{ value: noGroup, label: 'Not grouped' }, ...options]}
      value={group ?? noGroup}
      onValueChange={(value) => onGroup(value === noGroup ? null : value)}
    />
  )
}

export const columnLabels: Record<ResultColumn, string> = {
  name: 'Name',
  status: 'Status',
  tags: 'Tags',
  submitted: 'Submitted',
  run_time: 'Run time',
  pictures: 'Pictures from /results',
}

function ColumnMenu({ results, view, onChange }: Omit<ToolbarProps, 'everyone'>) {
  const { metrics } = results
  const names = sortNames([...new Set([...metrics, ...results.metric_names])])
  const toggleColumn = (column: ResultColumn, shown: boolean) =>
    onChange({
      columns: resultColumns.filter((name) => (name === column ? shown : view.columns.includes(name))),
    })
  const toggleMetric = (name: string, shown: boolean) =>
    onChange({ metrics: shown ? [...metrics, name] : metrics.filter((own) => own !== name) })
  return (
    <DropdownMenu className="w-64" trigger={<Button icon={SlidersHorizontal}>Columns</Button>}>
      {resultColumns
        // The first column has it.
        .filter((column) => column !== 'name')
        .map((column) => (
          <MenuCheckbox
            key={column}
            checked={view.columns.includes(column)}
            onCheckedChange={(checked) => toggleColumn(column, checked)}
          >
            {columnLabels[column]}
          </MenuCheckbox>
        ))}
      {names.length === 0 ? null : <MenuLabel>Metrics, at most {maxResultMetrics}</MenuLabel>}
      {names
        .filter((name) => metrics.includes(name) || metrics.length < maxResultMetrics)
        .map((name) => (
          <MenuCheckbox
            key={name}
            checked={metrics.includes(name)}
            onCheckedChange={(checked) => toggleMetric(name, checked)}
          >
            {visibleText(name, 60)}
          </MenuCheckbox>
        ))}
      <MenuSeparator />
      <MenuItem onSelect={() => onChange({ metrics: null, columns: ['status', 'submitted'] })}>
        Default columns
      </MenuItem>
    </DropdownMenu>
  )
}
