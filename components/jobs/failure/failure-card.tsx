import { useQuery } from '@tanstack/react-query'
import { CircleX, Pencil } from 'lucide-react'
import { type MouseEvent, useEffect, useEffectEvent, useMemo } from 'react'
import { jobDiagnosisQuery } from '@/components/queries/job-diagnosis'
import { jobFilesQuery } from '@/components/queries/queries'
import type { Diagnosis, Place } from '@/lib/contract/diagnosis/diagnosis'
import { formatFix } from '@/lib/contract/diagnosis/fix'
import { findSourceFile } from '@/lib/contract/diagnosis/source-file'
import type { JobDetail } from '@/lib/contract/jobs'
import { endNote } from '@/lib/contract/reasons'
import { updateSearchParams } from '../../shell/update-search-params'
import { ButtonLink } from '../../ui/button-link'
import { cn } from '../../ui/class-names'
import { Link } from '../../ui/link'
import { Skeleton } from '../../ui/skeleton'
import type { JobStream } from '../detail/use-job-stream'
import { hasSource } from '../has-source'
import { TextWithCode } from '../text-with-code'
import { failedByUser } from './fault'
import { findErrorLine } from './find-error-line'
import { sourceQuery } from './source-link'

interface FailureCardProps {
  job: JobDetail
  stream: Pick<JobStream, 'store' | 'connection'>
  /** Receives the number of the line of the output where the error begins. */
  onTraceback?: (line: number) => void
}

/** Why a job failed, where, and what to change. */
export function FailureCard({ job, stream, onTraceback }: FailureCardProps) {
  const { data, isPending } = useQuery(jobDiagnosisQuery(job))
  const diagnosis = data?.diagnosis ?? null
  const error = isExplained(job, diagnosis) ? (diagnosis?.error ?? null) : null
  const rank = diagnosis?.rank ?? null
  // The error is at the end of the output, so it is searched once, when the page has all of it.
  const complete = stream.connection === 'ended'
  const line = useMemo(
    () => (complete && error !== null ? findErrorLine(stream.store, rank, error) : null),
    [complete, stream.store, rank, error],
  )
  const reportLine = useEffectEvent((found: number) => onTraceback?.(found))
  useEffect(() => {
    if (line !== null) reportLine(line)
  }, [line])
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
          {error === null ? (
            <p className="wrap-anywhere font-medium text-ink">
              <TextWithCode text={job.reason_text ?? 'The job failed.'} />
            </p>
          ) : (
            <p className="line-clamp-4 wrap-anywhere font-medium font-mono text-ink">{error}</p>
          )}
          {diagnosis?.place ? <Location job={job} place={diagnosis.place} /> : null}
          {rank === null ? null : (
            <p className="wrap-anywhere text-muted text-xs">
              From rank {rank}
              {diagnosis?.node ? ` on node ${diagnosis.node}` : ''}, which failed first
            </p>
          )}
          {isPending ? <Skeleton className="w-2/3" /> : null}
          {diagnosis ? (
            <p className="wrap-anywhere text-ink">
              <TextWithCode
                text={`${error !== null && diagnosis.cause !== 'exception' ? `${diagnosis.summary} ` : ''}${diagnosis.next_step}`}
              />
            </p>
          ) : null}
          {error !== null && note ? (
            <p className="wrap-anywhere text-muted">
              <TextWithCode text={note} />
            </p>
          ) : null}
          <p className="text-xs">
            <Link href="/docs/user-guide/manage-your-job#why-a-job-failed">
              Why a job failed, and what to do
            </Link>
          </p>
        </div>
      </div>
      {hasSource(job) && byUser ? (
        <ButtonLink icon={Pencil} size="sm" href={editPath(job, diagnosis)}>
          Edit and run again
        </ButtonLink>
      ) : null}
    </section>
  )
}

/** Whether the error says more than the reason: the last line of a program need not be why it ended. */
function isExplained({ reason }: JobDetail, diagnosis: Diagnosis | null): boolean {
  return reason === 'exit_code' && diagnosis?.cause !== 'exit_code' && diagnosis?.cause !== 'killed_by_signal'
}

/** The submit page with the files of the job, what the diagnosis changes, and the cursor in the line that failed. */
function editPath({ job_id }: JobDetail, diagnosis: Diagnosis | null): string {
  const { fix = null, place = null } = diagnosis ?? {}
  const inProgram = place !== null && findSourceFile(place, []) !== null
  const query = new URLSearchParams({
    from: job_id,
    ...(fix && { fix: formatFix(fix) }),
    ...(inProgram && { line: String(place.line) }),
  })
  return `/submit?${query}`
}

/** The line of code, linked to the Source tab if gpuq has the file. */
function Location({ job, place }: { job: JobDetail; place: Place }) {
  const { data } = useQuery({ ...jobFilesQuery(job.job_id), enabled: job.archive !== null })
  const file = findSourceFile(place, data?.files ?? [])
  const query = sourceQuery(file ?? '', place.line)
  const openTab = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    updateSearchParams(query, 'push')
  }
  const shown = `${file ?? place.file}, line ${place.line}`
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      {file !== null && hasSource(job) ? (
        <Link href={`?${query}`} prefetch={false} onClick={openTab} className="wrap-anywhere">
          {shown}
        </Link>
      ) : (
        <span className="wrap-anywhere text-muted">{shown}</span>
      )}
      {place.code === null ? null : (
        <code className="max-w-full truncate rounded-sm border bg-sunken px-1.5 py-0.5 font-mono text-ink text-xs">
          {place.code}
        </code>
      )}
    </p>
  )
}
