import { ListFilter, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { formatCount, formatNumber } from '@/components/ui/format-number'
import { Input } from '@/components/ui/input'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { CellText } from './cell-text'
import { DataGrid } from './data-grid'
import type { TableState } from './engine/table-messages'
import type { GridCell, TableSort } from './grid-layout'
import { LoadingBar } from './loading-bar'
import { type TableFile, useTable } from './use-table'

/** A file as a table that can be sorted and filtered. A web worker reads it. */
export function TableViewer({ path, file }: { path: string; file: TableFile }) {
  const [search, setSearch] = useState('')
  const [filters, setFilters] = useState<ReadonlyMap<number, string>>(new Map())
  const [filtersShown, setFiltersShown] = useState(false)
  const [sort, setSort] = useState<TableSort | null>(null)
  const [chosen, setChosen] = useState<GridCell>({ row: 0, column: 0 })
  const query = useMemo(
    () => ({ search, sort, filters: [...filters].map(([column, text]) => ({ column, text })) }),
    [search, sort, filters],
  )
  const { client, state, failure, count, working, version } = useTable(file, useDeferredValue(query))
  // After a search, the table may have fewer rows.
  const active = { ...chosen, row: Math.min(chosen.row, count - 1) }
  if (failure !== null)
    return (
      <Callout tone="warning" announce title="This file cannot be shown as a table">
        {visibleText(failure, 500)}
      </Callout>
    )
  const loading = state === null || state.loading
  const filter = (column: number, text: string) =>
    setFilters(
      (before) =>
        new Map(text === '' ? [...before].filter(([own]) => own !== column) : [...before, [column, text]]),
    )
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {loading ? (
        <LoadingBar readBytes={state?.readBytes ?? 0} bytes={file.bytes} onCancel={() => client?.stop()} />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <div className="w-56 max-sm:w-full">
            <Input
              icon={Search}
              aria-label="Search all columns"
              placeholder="Search all columns"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </div>
          <Button
            size="sm"
            icon={ListFilter}
            aria-pressed={filtersShown}
            onClick={() => {
              setFiltersShown(!filtersShown)
              if (filtersShown) setFilters(new Map())
            }}
          >
            Filter columns
          </Button>
          <p role="status" className="text-muted text-xs tabular-nums">
            {working ? 'Searching and sorting…' : describeCount(count, state)}
          </p>
        </div>
      )}
      {state?.notices.map((notice) => (
        <Callout key={notice} tone="warning">
          {notice}
        </Callout>
      ))}
      {client && state && state.columns.length > 0 ? (
        <>
          <DataGrid
            label={`Table of ${visibleText(path, 120)}`}
            client={client}
            columns={state.columns}
            count={loading ? state.count : count}
            version={version}
            sort={sort}
            onSort={(column) => !loading && setSort(nextSort(sort, column))}
            filters={filtersShown && !loading ? filters : null}
            onFilter={filter}
            active={active}
            onActive={setChosen}
          />
          <CellText client={client} columns={state.columns} active={active} count={count} version={version} />
        </>
      ) : null}
    </div>
  )
}

function describeCount(count: number, { count: all, columns }: TableState): string {
  const matching = count === all ? '' : `${formatNumber(count)} of `
  return `${matching}${formatCount(all, 'row')}${count === all ? '' : ' match'}, ${formatCount(columns.length, 'column')}`
}

/** Ascending, descending, then as in the file. */
function nextSort(sort: TableSort | null, column: number): TableSort | null {
  if (sort?.column !== column) return { column, descending: false }
  return sort.descending ? null : { column, descending: true }
}
