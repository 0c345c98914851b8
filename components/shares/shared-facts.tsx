'use client'

import type { ReactNode } from 'react'
import type { SharedFacts as Facts } from '@/lib/shares/contract'
import { JobStatus } from '../jobs/job-status'
import { TextWithCode } from '../jobs/text-with-code'
import { DataList, Datum } from '../ui/data-list'
import { Duration } from '../ui/duration'
import { Panel, PanelBody } from '../ui/panel'
import { SharedTime } from './shared-time'

/** What everyone with a link may see of a job, beside its output. */
export function SharedFacts({ job }: { job: Facts }) {
  const { started_at, completed_at } = job
  const gpus = job.gpus.map(({ model, simulated, share }) =>
    [
      share === 1 ? model : `${share} of ${model}`,
      simulated && !/simulated/i.test(model) ? '(simulated)' : '',
    ]
      .filter(Boolean)
      .join(' '),
  )
  return (
    <Panel>
      <PanelBody>
        <DataList className="sm:grid-cols-[repeat(auto-fill,minmax(8rem,1fr))]">
          <Datum label="Status">
            <span aria-live="polite">
              <JobStatus state={job.status} />
            </span>
          </Datum>
          <Optional label="Reason">
            {job.status === 'completed' || job.reason_text === null ? null : (
              <TextWithCode text={job.reason_text} />
            )}
          </Optional>
          <Optional label="Exit code">{job.exit_code}</Optional>
          <Optional label="Run time">
            {started_at === null ? null : <Duration from={started_at} to={completed_at} />}
          </Optional>
          <Optional label="GPUs">{gpus.length === 0 ? null : gpus.join(', ')}</Optional>
          <Datum label="Environment">{job.environment}</Datum>
          <Datum label="Submitted">
            <SharedTime at={job.created_at} />
          </Datum>
          <Optional label="Ended">{completed_at === null ? null : <SharedTime at={completed_at} />}</Optional>
        </DataList>
      </PanelBody>
    </Panel>
  )
}

function Optional({ label, children }: { label: string; children: ReactNode }) {
  return children === null ? null : <Datum label={label}>{children}</Datum>
}
