import { useState } from 'react'
import { isFinal } from '@/lib/contract/status'
import { useEventStream } from '../jobs/detail/use-event-stream'
import { OutputViewer } from '../jobs/output/output-viewer'
import { Reconnecting } from '../shell/reconnecting'
import { Callout } from '../ui/callout'
import type { SharedPartsProps } from './parts-view'
import { SharedFacts } from './shared-facts'
import { SharedParts } from './shared-parts'
import { SharedResults } from './shared-results'

export interface LiveJobProps extends SharedPartsProps {
  outputHref: string
  /** The event stream of the link. */
  eventsHref: string
}

/** A job as it changes. */
export function LiveJob({ token, job, shows, outputHref, eventsHref }: LiveJobProps) {
  const [facts, setFacts] = useState(job)
  const { store, results, connection, loaded } = useEventStream(eventsHref, (data) => {
    setFacts(JSON.parse(data))
  })
  const live = !isFinal(facts.status) && connection !== 'closed'
  return (
    <>
      {connection === 'closed' ? (
        <Callout tone="warning" title="This link has expired or was revoked" announce>
          The page does not change any more. Ask the person who sent the link for a new one.
        </Callout>
      ) : null}
      <SharedFacts job={facts} />
      {results.length > 0 ? (
        <section aria-label="Result" className="flex flex-col gap-2">
          <h2 className="font-semibold text-lg">Result</h2>
          <SharedResults results={results} live={live} />
        </section>
      ) : null}
      {shows.output ? (
        <section aria-label="Output" className="flex min-h-96 flex-1 flex-col gap-2">
          <div className="flex flex-wrap items-center justify-between gap-x-4">
            <h2 className="font-semibold text-lg">Output</h2>
            <Reconnecting lost={connection === 'lost'} />
          </div>
          <OutputViewer
            store={store}
            live={live}
            loading={facts.status !== 'pending' && connection !== 'closed' && !loaded}
            downloads={[{ label: 'Plain text', href: outputHref }]}
            {...(facts.status === 'pending'
              ? { emptyTitle: 'The job is waiting', emptyText: 'Its output appears here.' }
              : {})}
          />
        </section>
      ) : null}
      <SharedParts token={token} job={facts} shows={shows} />
    </>
  )
}
