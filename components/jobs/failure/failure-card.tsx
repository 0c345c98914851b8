import { useQuery } from '@tanstack/react-query'
import { CircleX, Pencil } from 'lucide-react'
import { type MouseEvent, useEffect, useEffectEvent, useMemo } from 'react'
import { jobAdviceQuery } from '@/components/queries/job-advice'
import { jobFilesQuery } from '@/components/queries/queries'
import type { Fix } from '@/lib/contract/failure/failure'
import { findFailedInstance } from '@/lib/contract/failure/find-failed-instance'
import { formatFix } from '@/lib/contract/failure/fix'
import type { CodeLocation, Traceback } from '@/lib/contract/failure/parse-traceback'
import type { JobDetail } from '@/lib/contract/jobs'
import { endNote } from '@/lib/contract/reasons'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { updateSearchParams } from '../../shell/update-search-params'
import { ButtonLink } from '../../ui/button-link'
import { cn } from '../../ui/class-names'
import { Link } from '../../ui/link'
import { Skeleton } from '../../ui/skeleton'
import type { JobStream } from '../detail/use-job-stream'
import { hasSource } from '../has-source'
import { failedByUser } from './fault'
import { findTraceback } from './find-traceback'
import { findSourceFile, sourceQuery } from './source-link'

interface FailureCardProps {
  job: JobDetail
  stream: Pick<JobStream, 'store' | 'connection'>
  /** Receives the number of the first line of the traceback. */
  onTraceback?: (line: number) => void
}

/** Why a job failed, where, and what to change. */
export function FailureCard({ job, stream, onTraceback }: FailureCardProps) {
  const byProgram = job.reason === 'exit_code'
  // A traceback is at the end of the output, so it is searched once, when the page has all of it.
  const complete = stream.connection === 'ended'
  const failed = findFailedInstance(job.resources)
  const rank = failed?.rank ?? null
  const traceback = useMemo(
    () => (byProgram && complete ? findTraceback(stream.store, rank) : null),
    [byProgram, complete, stream.store, rank],
  )
  const reportLine = useEffectEvent((line: number) => onTraceback?.(line))
  const line = traceback?.line ?? null
  useEffect(() => {
    if (line !== null) reportLine(line)
  }, [line])
  const { data } = useQuery({ ...jobAdviceQuery(job), enabled: complete || !byProgram })
  const advice = data?.advice
  const byUser = failedByUser(job)
  const note = endNote(job)
  return (
    <section
      aria-label="Failure"
      className={cn(
        'flex flex-wrap items-start justify-between gap-x-4 gap-y-3 rounded-lg border border-l-4 bg-surface px-4 py-3 text-sm',
        byUser ? 'border-danger-line' : 'border-warning-line',
      )}
    >
      <div className="flex min-w-0 flex-1 basis-72 items-start gap-2.5">
        <CircleX
          aria-hidden
          className={cn('mt-0.5 size-4 shrink-0', byUser ? 'text-danger-ink' : 'text-warning-ink')}
        />
        <div className="flex min-w-0 flex-1 flex-col gap-1.5">
          {traceback ? (
            <>
              <Exception job={job} traceback={traceback} />
              {failed ? (
                <p className="wrap-anywhere text-muted text-xs">
                  From rank {failed.rank} on node {failed.node}, which failed first
                </p>
              ) : null}
            </>
          ) : (
            <p className="wrap-anywhere font-medium text-ink">{job.reason_text ?? 'The job failed.'}</p>
          )}
          {byProgram && !complete ? <Skeleton className="w-2/3" /> : null}
          {advice ? <p className="wrap-anywhere text-ink">{advice.text}</p> : null}
          {traceback && note ? <p className="wrap-anywhere text-muted">{note}</p> : null}
          <p className="text-xs">
            <Link href="/docs/user-guide/manage-your-job#why-a-job-failed">
              Why a job failed, and what to do
            </Link>
          </p>
        </div>
      </div>
      {hasSource(job) && byUser ? (
        <ButtonLink icon={Pencil} size="sm" href={editPath(job, advice?.fix ?? null, traceback)}>
          Edit and run again
        </ButtonLink>
      ) : null}
    </section>
  )
}

/** The submit page with the files of the job, what the advice changes, and the cursor in the line that failed. */
function editPath({ job_id }: JobDetail, fix: Fix | null, traceback: Traceback | null): string {
  const location = traceback?.location ?? null
  const inProgram = location !== null && findSourceFile(location, []) !== null
  const query = new URLSearchParams({
    from: job_id,
    ...(fix && { fix: formatFix(fix) }),
    ...(inProgram && { line: String(location.line) }),
  })
  return `/submit?${query}`
}

function Exception({ job, traceback }: { job: JobDetail; traceback: Traceback }) {
  const { exception, group, location } = traceback
  return (
    <>
      <p className="line-clamp-4 wrap-anywhere font-medium font-mono text-ink">
        {visibleText(exception, 500)}
      </p>
      {group === null ? null : (
        <p className="line-clamp-2 wrap-anywhere text-muted text-xs">In {visibleText(group, 200)}</p>
      )}
      {location ? <Location job={job} location={location} /> : null}
    </>
  )
}

/** The line of code, linked to the Source tab if gpuq has the file. */
function Location({ job, location }: { job: JobDetail; location: CodeLocation }) {
  const { data } = useQuery({ ...jobFilesQuery(job.job_id), enabled: job.archive !== null })
  const file = findSourceFile(location, data?.files ?? [])
  const query = sourceQuery(file ?? '', location.line)
  const openTab = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    updateSearchParams(query, 'push')
  }
  const shown = `${visibleText(file ?? location.file, 120)}, line ${location.line}`
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      {file !== null && hasSource(job) ? (
        <Link href={`?${query}`} prefetch={false} onClick={openTab} className="wrap-anywhere">
          {shown}
        </Link>
      ) : (
        <span className="wrap-anywhere text-muted">{shown}</span>
      )}
      {location.code === null ? null : (
        <code className="max-w-full truncate rounded-sm border bg-sunken px-1.5 py-0.5 font-mono text-ink text-xs">
          {visibleText(location.code, 300)}
        </code>
      )}
    </p>
  )
}
