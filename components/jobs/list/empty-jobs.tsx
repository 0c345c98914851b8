'use client'

import { Inbox, Plus } from 'lucide-react'
import { curlCommand, installCommands } from '../../access/ready-to-use'
import { useOrigin } from '../../shell/use-origin'
import { ButtonLink } from '../../ui/button-link'
import { CodeBlock } from '../../ui/code-block'
import { EmptyState } from '../../ui/empty-state'
import { Link } from '../../ui/link'

/** Stands where someone's first job will be, and says how it gets there. */
export function EmptyJobs() {
  const origin = useOrigin()
  return (
    <div className="pb-8">
      <EmptyState
        icon={Inbox}
        title="No jobs yet"
        className="pb-6"
        action={
          <ButtonLink href="/submit" variant="primary">
            <Plus aria-hidden />
            Submit a job
          </ButtonLink>
        }
      >
        Drop a solution.py and a config.yaml in the browser, or send them from a terminal.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock
          label="curl command"
          title="From a terminal"
          code={curlCommand({ token: 'YOUR_TOKEN', origin })}
          wrap
        />
        <p className="mt-2 text-muted text-xs">
          It waits for the job and prints its result. <Link href="/tokens">Make a token</Link> to put in place
          of YOUR_TOKEN.
        </p>
        <CodeBlock
          label="commands that install gpuq"
          title="Or install gpuq, the command line"
          code={installCommands({ origin })}
          wrap
          className="mt-4"
        />
        <p className="mt-2 text-muted text-xs">
          It needs Node.js, and follows a job live: <code>gpuq submit solution.py config.yaml</code>.
        </p>
      </div>
    </div>
  )
}
