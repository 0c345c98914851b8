import type { BlockingJob, ProblemExtensions } from '@/lib/contract/errors'
import { Button } from '../../../ui/button'
import { ButtonLink } from '../../../ui/button-link'
import { Callout } from '../../../ui/callout'
import { CancelDialog } from '../../cancel-dialog'
import { describeNearest } from '../../describe-nearest'
import { inFormWords } from '../../editor/form-fields'
import { jobTitle } from '../../job-title'
import { TextWithCode } from '../../text-with-code'

export interface Refused extends Pick<ProblemExtensions, 'nearest' | 'jobs'> {
  message: string
}

interface RefusalProps {
  refusal: Refused
  /** Whether the server has refused a submission; otherwise it would refuse one. */
  submitted: boolean
  /** Changes the config to the nearest request that fits. */
  onUse: (nearest: NonNullable<Refused['nearest']>) => void
  /** A job that stood in the way was cancelled. */
  onCancelled: () => void
}

/** Why gpuq refuses a draft, with buttons for what helps: the nearest request that fits, and the jobs because of which a limit refuses another. */
export function Refusal({ refusal, submitted, onUse, onCancelled }: RefusalProps) {
  const { message, nearest, jobs = [] } = refusal
  const label = nearest ? describeNearest(nearest) : null
  return (
    <Callout tone={submitted ? 'danger' : 'warning'} announce={submitted}>
      <p>
        <TextWithCode text={inFormWords(message)} />
      </p>
      {nearest && label ? (
        <Button size="sm" className="mt-2" onClick={() => onUse(nearest)}>
          Use {label}
        </Button>
      ) : null}
      {jobs.length > 0 ? (
        <ul className="mt-2 flex flex-col gap-1.5" aria-label="Jobs that count towards the limit">
          {jobs.map((job) => (
            <BlockingRow key={job.job_id} job={job} onCancelled={onCancelled} />
          ))}
        </ul>
      ) : null}
    </Callout>
  )
}

function BlockingRow({ job, onCancelled }: { job: BlockingJob; onCancelled: () => void }) {
  const title = jobTitle(job)
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 break-words">
        {title} ({job.status})
      </span>
      <ButtonLink size="sm" href={`/jobs/${job.job_id}`} aria-label={`Open ${title}`}>
        Open
      </ButtonLink>
      <CancelDialog
        job={{ job_id: job.job_id, hasStarted: job.status !== 'pending' }}
        onCancelled={onCancelled}
        trigger={
          <Button size="sm" aria-label={`Cancel ${title}`}>
            Cancel
          </Button>
        }
      />
    </li>
  )
}
