import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Panel, PanelHeader } from '@/components/ui/panel'
import { Select } from '@/components/ui/select'
import { Skeleton } from '@/components/ui/skeleton'
import type { JobDetail, JobSource } from '@/lib/contract/jobs'
import type { MetricsJob } from '../metrics/metrics-view'

const CodeDifferences = dynamic(() => import('./code-differences').then((module) => module.CodeDifferences), {
  loading: () => <Skeleton className="m-4 h-40" />,
})

const DirectoryDifferences = dynamic(
  () => import('./directory-differences').then((module) => module.DirectoryDifferences),
  { loading: () => <Skeleton className="m-4 h-16" /> },
)

/** The differences between the programs and the uploaded directories of two jobs. */
export function CodePanel({
  details,
  jobs,
  sources,
}: {
  details: readonly JobDetail[]
  jobs: readonly MetricsJob[]
  sources: readonly (JobSource | null)[]
}) {
  const [first, setFirst] = useState('0')
  const [second, setSecond] = useState('1')
  // A job may have been removed.
  const [before, after] = [sources[Number(first)] ?? sources[0], sources[Number(second)] ?? sources[1]]
  const [earlier, later] = [details[Number(first)] ?? details[0], details[Number(second)] ?? details[1]]
  const options = jobs.map(({ label }, index) => ({ value: String(index), label }))
  const valid = (value: string, fallback: string) => (Number(value) < jobs.length ? value : fallback)
  return (
    <Panel>
      <PanelHeader
        title="Program"
        description="solution.py, or the command"
        actions={
          <span className="flex flex-wrap items-center gap-2 text-muted text-sm">
            <Select
              aria-label="First job"
              className="w-44"
              value={valid(first, '0')}
              onValueChange={setFirst}
              options={options}
            />
            to
            <Select
              aria-label="Second job"
              className="w-44"
              value={valid(second, '1')}
              onValueChange={setSecond}
              options={options}
            />
          </span>
        }
      />
      {before && after ? (
        <CodeDifferences
          first={programOf(before)}
          second={programOf(after)}
          name="the programs"
          equal="The programs are equal."
        />
      ) : (
        <Skeleton className="m-4 h-40" />
      )}
      {earlier && later && (earlier.archive || later.archive) ? (
        <DirectoryDifferences before={earlier.job_id} after={later.job_id} />
      ) : null}
    </Panel>
  )
}

function programOf({ code, command }: JobSource): string {
  return command ?? code
}
