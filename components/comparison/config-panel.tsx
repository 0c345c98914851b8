import { useState } from 'react'
import { Panel, PanelHeader } from '@/components/ui/panel'
import { Skeleton } from '@/components/ui/skeleton'
import { Switch } from '@/components/ui/switch'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { MetricsJob } from '../metrics/metrics-view'
import { ComparisonTable } from './comparison-table'
import type { ConfigRow } from './config-rows'

const maxCharacters = 300

/** The keys of the configs that differ, or all. */
export function ConfigPanel({
  jobs,
  rows,
}: {
  jobs: readonly MetricsJob[]
  /** Null: they are not read yet. */
  rows: readonly ConfigRow[] | null
}) {
  const [all, setAll] = useState(false)
  const shown = rows?.filter(({ differs }) => all || differs)
  return (
    <Panel>
      <PanelHeader
        title="Configs"
        actions={<Switch label="Show equal keys" checked={all} onCheckedChange={setAll} />}
      />
      {shown === undefined ? (
        <Skeleton className="m-4 h-16" />
      ) : shown.length === 0 ? (
        <p className="px-4 py-3 text-muted text-sm">The configs are equal.</p>
      ) : (
        <ComparisonTable
          caption="Configs"
          heading="Key"
          columns={jobs}
          rows={shown.map(({ key: name, values, differs }) => ({
            name,
            differs,
            cells: values.map(
              (value) =>
                value && <span className="font-mono text-xs">{visibleText(value, maxCharacters)}</span>,
            ),
          }))}
        />
      )}
    </Panel>
  )
}
