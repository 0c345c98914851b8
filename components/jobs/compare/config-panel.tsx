import { useMemo, useState } from 'react'
import { Panel, PanelHeader } from '@/components/ui/panel'
import { Skeleton } from '@/components/ui/skeleton'
import { Switch } from '@/components/ui/switch'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { MetricsJob } from '../metrics/metrics-view'
import { ComparisonTable } from './comparison-table'
import { compareConfigs } from './config-rows'

const maxCharacters = 300

/** The keys of the configs that differ, or all. */
export function ConfigPanel({
  jobs,
  configs,
}: {
  jobs: readonly MetricsJob[]
  configs: readonly (string | null)[]
}) {
  const [all, setAll] = useState(false)
  const key = JSON.stringify(configs)
  const rows = useMemo(
    () => compareConfigs((JSON.parse(key) as (string | null)[]).map((config) => config ?? '')),
    [key],
  )
  const shown = rows.filter(({ differs }) => all || differs)
  return (
    <Panel>
      <PanelHeader
        title="Configs"
        actions={<Switch label="Show equal keys" checked={all} onCheckedChange={setAll} />}
      />
      {configs.includes(null) ? (
        <Skeleton className="m-4 h-16" />
      ) : shown.length === 0 ? (
        <p className="px-4 py-3 text-muted text-sm">The configs are equal.</p>
      ) : (
        <ComparisonTable
          caption="Configs"
          heading="Key"
          jobs={jobs}
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
