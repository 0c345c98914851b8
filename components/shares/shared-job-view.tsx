import { Download } from 'lucide-react'
import type { JobSource } from '@/lib/contract/jobs'
import { screenLines } from '@/lib/contract/output/screen/screen-lines'
import { isFinal } from '@/lib/contract/status'
import type { SharedFacts as Facts } from '@/lib/shares/contract'
import { plainText } from '../jobs/output/ansi/ansi-parse'
import { buttonStyles } from '../ui/button'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { ScrollRegion } from '../ui/scroll-region'
import { FollowedJob } from './followed-job'
import type { SharedPartsProps } from './parts-view'
import { SharedFacts } from './shared-facts'
import { SharedPage } from './shared-page'
import { SharedParts } from './shared-parts'
import { StoredResults } from './shared-results'

interface SharedJobViewProps {
  job: Facts & {
    output: string
    outputCut: boolean
    results: readonly string[]
    shows: SharedPartsProps['shows']
    source: JobSource | null
    expiresAt: string
  }
  /** The token of the link. */
  token: string
  outputHref: string
  eventsHref: string
}

/** A job for people without an account. It has no actions. While the job has not ended, the page follows it. */
export function SharedJobView({ job, token, outputHref, eventsHref }: SharedJobViewProps) {
  const ended = isFinal(job.status)
  return (
    <SharedPage expiresAt={job.expiresAt} className="max-w-5xl gap-5">
      <div>
        <h1 className="wrap-anywhere font-semibold text-xl tracking-tight">{job.name ?? 'Job'}</h1>
        <p className="mt-1 wrap-anywhere text-muted text-sm">
          {job.owner} · {job.project_id} · {job.competition_id}
        </p>
      </div>
      {ended ? (
        <>
          <StoredJob job={job} outputHref={outputHref} />
          <SharedParts token={token} job={job} shows={job.shows} />
        </>
      ) : (
        <FollowedJob
          token={token}
          job={job}
          shows={job.shows}
          outputHref={outputHref}
          eventsHref={eventsHref}
        >
          <StoredJob job={job} outputHref={outputHref} />
        </FollowedJob>
      )}
      {job.source ? <Source source={job.source} /> : null}
    </SharedPage>
  )
}

/** The job as it was when the page was loaded. */
function StoredJob({ job, outputHref }: Pick<SharedJobViewProps, 'job' | 'outputHref'>) {
  return (
    <>
      <SharedFacts job={job} />
      {job.results.length > 0 ? (
        <section aria-label="Result" className="flex flex-col gap-2">
          <h2 className="font-semibold text-lg">Result</h2>
          <StoredResults results={job.results} />
        </section>
      ) : null}
      {job.shows.output ? <StoredOutput job={job} outputHref={outputHref} /> : null}
    </>
  )
}

function StoredOutput({ job, outputHref }: Pick<SharedJobViewProps, 'job' | 'outputHref'>) {
  const lines = screenLines(job.output).map(plainText)
  return (
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
  )
}

function describeNoOutput({ files_deleted, status }: SharedJobViewProps['job']): string {
  if (files_deleted !== null) return 'The files of this job were deleted.'
  if (status === 'pending') return 'The job waits. Its output appears here.'
  return status === 'running' ? 'No output yet.' : 'The job printed nothing.'
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
