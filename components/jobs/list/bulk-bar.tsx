import { Ban, Download, GitCompareArrows, RotateCw, Tag, X } from 'lucide-react'
import { useState } from 'react'
import { api } from '@/components/queries/queries'
import type { JobCount } from '@/lib/contract/job-queries'
import type { JobSummary } from '@/lib/contract/jobs'
import { maxJobsTogether } from '@/lib/contract/jobs-together'
import { isFinal } from '@/lib/contract/status'
import { useOpenPage } from '../../shell/connection/use-open-page'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { formatCount, formatNumber } from '../../ui/format-number'
import { useFooterHeight } from '../../ui/use-footer-height'
import { comparePath, maxCompared } from '../compare-path'
import { cancelJobs, rerunJobs, useBulkChange } from './bulk-changes'
import { formatJobCount } from './list-note'
import { TagDialog } from './tag-dialog'

interface BulkBarProps {
  /** The selected jobs. */
  jobs: readonly JobSummary[]
  /** The jobs of the page. */
  listed: readonly JobSummary[]
  /** How many jobs all pages have; null: not known yet. */
  count: JobCount | null
  onSelectPage: () => void
  onSelectMatching: () => Promise<void>
  onClear: () => void
}

type Asking = 'cancel' | 'rerun' | 'tag' | null

/** The actions for the selected jobs, at the bottom of the window. */
export function BulkBar({ jobs, listed, count, onSelectPage, onSelectMatching, onClear }: BulkBarProps) {
  const footer = useFooterHeight()
  const openPage = useOpenPage()
  const { run, busy } = useBulkChange()
  const [asking, setAsking] = useState<Asking>(null)
  const active = jobs.filter(({ status }) => !isFinal(status)).length
  const ended = jobs.length - active
  const onPage = new Set(listed.map(({ job_id }) => job_id))
  const elsewhere = jobs.filter(({ job_id }) => !onPage.has(job_id)).length
  const [selecting, setSelecting] = useState(false)
  const selectMatching = async () => {
    setSelecting(true)
    await onSelectMatching()
    setSelecting(false)
  }
  const close = () => setAsking(null)
  return (
    <div
      ref={footer}
      role="toolbar"
      aria-label="Selected jobs"
      className="sticky bottom-0 z-20 flex flex-wrap items-center gap-2 border-t bg-raised px-4 py-2 shadow-float"
    >
      {/* On a narrow screen: the selection, then the actions in one line that scrolls. */}
      <span role="status" className="mr-1 font-medium text-ink text-sm tabular-nums">
        {jobs.length} selected
      </span>
      {jobs.length - elsewhere < listed.length ? (
        <Button size="sm" variant="ghost" onClick={onSelectPage}>
          {count && isMore(count, listed.length)
            ? `Select this page (${listed.length})`
            : `Select all ${listed.length}`}
        </Button>
      ) : count && isMore(count, jobs.length) && jobs.length < maxJobsTogether ? (
        <Button size="sm" variant="ghost" loading={selecting} onClick={() => void selectMatching()}>
          {describeMatching(count)}
        </Button>
      ) : null}
      <Button size="sm" icon={X} variant="ghost" className="ml-auto sm:order-last" onClick={onClear}>
        Clear selection
      </Button>
      <div className="-mx-4 flex items-center gap-2 px-4 max-sm:basis-[calc(100%+2rem)] max-sm:overflow-x-auto max-sm:py-1 sm:contents">
        <Button
          size="sm"
          icon={RotateCw}
          disabled={ended === 0}
          loading={busy}
          onClick={() => setAsking('rerun')}
        >
          Run again
        </Button>
        <Button size="sm" icon={Tag} loading={busy} onClick={() => setAsking('tag')}>
          Tag
        </Button>
        <Button
          size="sm"
          icon={GitCompareArrows}
          disabled={jobs.length < 2 || jobs.length > maxCompared}
          title={`Compares 2 to ${maxCompared} jobs`}
          onClick={() => openPage(comparePath(jobs.map(({ job_id }) => job_id)))}
        >
          Compare
        </Button>
        <Button
          size="sm"
          icon={Download}
          disabled={ended === 0 || jobs.length > maxJobsTogether}
          title={`Downloads the files of at most ${maxJobsTogether} jobs`}
          onClick={() => window.location.assign(api.jobs.filesUrl(jobs.map(({ job_id }) => job_id)))}
        >
          Download
        </Button>
        <Button
          size="sm"
          icon={Ban}
          variant="danger-quiet"
          disabled={active === 0}
          loading={busy}
          onClick={() => setAsking('cancel')}
        >
          Cancel
        </Button>
      </div>
      {asking === 'cancel' ? (
        <ConfirmDialog
          title={`Cancel ${formatCount(active, 'job')}?`}
          description={`${describeElsewhere(elsewhere)}Jobs that wait leave the queue. gpuq stops running programs and keeps their output.`}
          confirmLabel={`Cancel ${formatCount(active, 'job')}`}
          keepLabel="Keep"
          onConfirm={() => run(jobs, cancelJobs)}
          onClose={close}
        />
      ) : null}
      {asking === 'rerun' ? (
        <ConfirmDialog
          title={`Run ${formatCount(ended, 'job')} again?`}
          description={`${describeElsewhere(elsewhere)}gpuq submits the same programs and configs as new jobs.`}
          confirmLabel={`Submit ${formatCount(ended, 'job')}`}
          tone="primary"
          onConfirm={() => run(jobs, rerunJobs)}
          onClose={close}
        />
      ) : null}
      {asking === 'tag' ? <TagDialog jobs={jobs} run={run} onClose={close} /> : null}
    </div>
  )
}

const isMore = ({ jobs, more }: JobCount, than: number) => more || jobs > than

/** What the button selects: all jobs of the search, or as many as one action may have. */
function describeMatching(count: JobCount): string {
  return isMore(count, maxJobsTogether)
    ? `Select the first ${maxJobsTogether} of ${formatJobCount(count)}`
    : `Select all ${count.jobs} matching`
}

function describeElsewhere(jobs: number): string {
  return jobs === 0 ? '' : `${formatNumber(jobs)} of the selected jobs are not on this page. `
}
