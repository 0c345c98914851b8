'use client'

import { useQuery } from '@tanstack/react-query'
import { ChartColumn, Download } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { accountingCsvUrl, accountingQuery } from '@/components/accounting/queries'
import type { Accounting } from '@/lib/accounting/contract'
import { accountingGroups, firstDay, lastDay } from '@/lib/accounting/contract-range'
import { Loaded } from '../shell/load-failure'
import { updateSearchParams } from '../shell/update-search-params'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'
import { formatNumber } from '../ui/format-number'
import { Input } from '../ui/input'
import { PageHeader } from '../ui/page-header'
import { Panel, PanelHeader } from '../ui/panel'
import { Segmented } from '../ui/segmented'
import { SkeletonRows } from '../ui/skeleton'
import {
  type AccountingRequest,
  groupNames,
  presetOf,
  presetRange,
  rangeDays,
  readRequest,
} from './accounting-request'
import { endedJobs } from './format-usage'
import { UsageSummary } from './usage-summary'
import { UsageTable } from './usage-table'
import { maxWeeks, toWeekBars } from './week-bars'
import { WeekChart } from './week-chart'

/** The page Accounting: GPU hours, efficiency and waits of the jobs that the user may see. */
export function AccountingView({ everyone, budgets = null }: { everyone: boolean; budgets?: ReactNode }) {
  const request = readRequest(new URLSearchParams(useSearchParams()))
  const rows = useQuery(accountingQuery(request))
  const weeks = useQuery(accountingQuery({ ...request, by: 'week' }))
  const isEmpty = rows.data?.row_count === 0
  return (
    <>
      <PageHeader
        title="Accounting"
        description={
          everyone
            ? 'What the jobs of all users used. Days are in UTC.'
            : 'What your jobs and those of your projects used. Days are in UTC.'
        }
        actions={
          <ButtonLink icon={Download} href={accountingCsvUrl(request)} prefetch={false} download>
            CSV
          </ButtonLink>
        }
      />
      <div className="flex flex-col gap-4">
        {budgets}
        <Toolbar request={request} />
        <Panel>
          <PanelHeader title="GPU hours by week" />
          <Loaded query={weeks} placeholder={<SkeletonRows rows={6} />} failureClass="m-4">
            {(accounting) => (isEmpty ? <NoJobs /> : <Weeks accounting={accounting} />)}
          </Loaded>
        </Panel>
        {isEmpty ? null : (
          <Panel>
            <Loaded query={rows} placeholder={<SkeletonRows rows={6} />} failureClass="m-4">
              {(accounting) => <Rows accounting={accounting} />}
            </Loaded>
          </Panel>
        )}
      </div>
    </>
  )
}

function Toolbar({ request }: { request: AccountingRequest }) {
  const set = (changes: Partial<Record<'by' | 'from' | 'to', string>>) => {
    const params = new URLSearchParams(window.location.search)
    for (const [name, value] of Object.entries(changes)) params.set(name, value)
    updateSearchParams(params, 'push')
  }
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
      <Segmented
        label="Rows"
        value={request.by}
        onValueChange={(by) => set({ by })}
        options={accountingGroups.map((value) => ({ value, label: groupNames[value] }))}
      />
      <Segmented
        label="Range"
        value={presetOf(request)}
        onValueChange={(days) => set(presetRange(days))}
        options={Object.entries(rangeDays)
          .sort(([a], [b]) => Number(a) - Number(b))
          .map(([value, label]) => ({ value, label }))}
      />
      <div className="flex items-center gap-1.5 text-muted text-xs">
        <DayInput
          label="First day"
          value={request.from}
          most={request.to}
          onDay={(from) => set({ from, to: request.to })}
        />
        –
        <DayInput
          label="Last day"
          value={request.to}
          least={request.from}
          onDay={(to) => set({ from: request.from, to })}
        />
      </div>
    </div>
  )
}

interface DayInputProps {
  label: string
  value: string
  least?: string
  most?: string
  onDay: (day: string) => void
}

/** A change that is no day of the range is not used: the browser marks the field. */
function DayInput({ label, value, least = firstDay, most = lastDay, onDay }: DayInputProps) {
  return (
    <Input
      // A new range replaces what was typed.
      key={value}
      type="date"
      aria-label={label}
      defaultValue={value}
      min={least}
      max={most}
      className="h-7 w-36 text-xs"
      onChange={({ target }) => {
        if (target.value !== '' && target.validity.valid) onDay(target.value)
      }}
    />
  )
}

function NoJobs() {
  return (
    <EmptyState icon={ChartColumn} title="No jobs in this range">
      Choose an earlier first day, or submit a job. Its GPU hours appear here when it starts.
    </EmptyState>
  )
}

function Weeks({ accounting }: { accounting: Accounting }) {
  const bars = toWeekBars(accounting.rows, accounting)
  return (
    <>
      {bars.length === maxWeeks ? (
        <p className="px-4 pt-3 text-muted text-xs">The last {formatNumber(maxWeeks)} weeks of the range.</p>
      ) : null}
      <UsageSummary usage={accounting.total} />
      <WeekChart bars={bars} />
    </>
  )
}

function Rows({ accounting }: { accounting: Accounting }) {
  const { rows, row_count, total, by } = accounting
  const cut = row_count > rows.length
  return (
    <>
      <PanelHeader
        title={`By ${groupNames[by].toLowerCase()}`}
        description={
          cut
            ? `The ${formatNumber(rows.length)} rows with the most GPU hours of ${formatNumber(row_count)}. The CSV has all.`
            : `${formatNumber(endedJobs(total))} ended jobs`
        }
      />
      <UsageTable accounting={accounting} />
    </>
  )
}
