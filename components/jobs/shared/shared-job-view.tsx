import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { JobSource } from '@/lib/contract/jobs'
import type { UploadStatus } from '@/lib/contract/status'
import { Brand } from '../../shell/brand'
import { buttonStyles } from '../../ui/button'
import { CodeBlock } from '../../ui/code-block'
import { DataList, Datum } from '../../ui/data-list'
import { formatSeconds } from '../../ui/format-time'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { ScrollRegion } from '../../ui/scroll-region'
import { JobStatus } from '../job-status'
import { plainText } from '../output/ansi/ansi-parse'
import { overwrite } from '../output/ansi/carriage-return'
import { SharedResults } from './shared-results'
import { SharedTime } from './shared-time'

interface SharedJobViewProps {
  job: {
    name: string | null
    status: UploadStatus
    reason_text: string | null
    exit_code: number | null
    competition_id: string
    project_id: string
    environment: string
    user_id: string
    user_name: string | null
    created_at: string
    started_at: string | null
    completed_at: string | null
    gpus: readonly { model: string; simulated: boolean; share: number }[]
    output: string
    outputCut: boolean
    results: readonly unknown[]
    files_deleted: string | null
    source: JobSource | null
    expiresAt: string
  }
  outputHref: string
}

/** A job for people without an account. It has no actions, and does not change until it is loaded again. */
export function SharedJobView({ job, outputHref }: SharedJobViewProps) {
  const lines = job.output.split('\n').map((line) => plainText(overwrite(line)))
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-13 flex-wrap items-center justify-between gap-x-4 border-b px-4 sm:px-6">
        <Brand href="/" />
        <p className="text-muted text-xs">
          Read-only, until <SharedTime at={job.expiresAt} />
        </p>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-5xl flex-1 flex-col gap-5 px-4 py-6 sm:px-6"
      >
        <div>
          <h1 className="wrap-anywhere font-semibold text-xl tracking-tight">{job.name ?? 'Job'}</h1>
          <p className="mt-1 wrap-anywhere text-muted text-sm">
            {job.user_name ?? job.user_id} · {job.project_id} · {job.competition_id}
          </p>
        </div>
        <Facts job={job} />
        {job.results.length > 0 ? (
          <section aria-label="Result" className="flex flex-col gap-2">
            <h2 className="font-semibold text-lg">Result</h2>
            <SharedResults results={job.results} />
          </section>
        ) : null}
        <Panel>
          <PanelHeader
            title="Output"
            description={job.outputCut ? 'The beginning. The download has everything.' : undefined}
            actions={
              job.output === '' ? null : (
                <a href={outputHref} download className={buttonStyles({ size: 'sm' })}>
                  <Download aria-hidden />
                  Download
                </a>
              )
            }
          />
          {job.output === '' ? (
            <PanelBody>
              <p className="text-muted text-sm">{describeNoOutput(job)}</p>
            </PanelBody>
          ) : (
            <ScrollRegion aria-label="Output of the job" className="max-h-[70dvh] overflow-auto">
              <pre
                dir="ltr"
                className="wrap-anywhere whitespace-pre-wrap p-4 font-mono text-xs leading-5 [tab-size:8]"
              >
                {lines.join('\n')}
              </pre>
            </ScrollRegion>
          )}
        </Panel>
        {job.source ? <Source source={job.source} /> : null}
      </main>
    </div>
  )
}

function describeNoOutput({ files_deleted, status }: SharedJobViewProps['job']): string {
  if (files_deleted !== null) return 'The files of this job were deleted.'
  if (status === 'pending') return 'The job waits. Load the page again later.'
  return status === 'running' ? 'Nothing yet. Load the page again later.' : 'The job printed nothing.'
}

function Facts({ job }: Pick<SharedJobViewProps, 'job'>) {
  const { started_at, completed_at } = job
  const seconds =
    started_at === null || completed_at === null
      ? null
      : (Date.parse(completed_at) - Date.parse(started_at)) / 1000
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
        <DataList>
          <Datum label="Status">
            <JobStatus state={job.status} />
          </Datum>
          <Optional label="Reason">{job.status === 'completed' ? null : job.reason_text}</Optional>
          <Optional label="Exit code">{job.exit_code}</Optional>
          <Optional label="Run time">{seconds === null ? null : formatSeconds(seconds)}</Optional>
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

function Source({ source }: { source: JobSource }) {
  return (
    <section aria-label="Source" className="flex flex-col gap-3">
      <h2 className="font-semibold text-lg">Source</h2>
      {source.code === '' ? null : <CodeBlock label="program" title="solution.py" code={source.code} />}
      <CodeBlock label="config" title="config.yaml" code={source.config} />
    </section>
  )
}
