import { Inbox, Play, Plus } from 'lucide-react'
import { useState } from 'react'
import { curlCommand, installCommands, pythonProgram } from '../../access/snippets'
import { useOrigin } from '../../shell/use-origin'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { CodeBlock } from '../../ui/code-block'
import { EmptyState } from '../../ui/empty-state'
import { Link } from '../../ui/link'
import { useRunSample } from '../run-again'

/** Shown before a user's first job: how to submit one. */
export function EmptyJobs() {
  const origin = useOrigin()
  return (
    <div className="pb-8">
      <EmptyState
        icon={Inbox}
        title="No jobs yet"
        className="pb-6"
        action={
          <>
            <ButtonLink icon={Plus} href="/submit" variant="primary">
              Submit a job
            </ButtonLink>
            <RunSampleButton />
          </>
        }
      >
        Submit a Python program in the browser or from a terminal. To try it first, run the sample job: it
        needs no files. <Link href="/docs/first-job">Your first job</Link> explains the steps.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock
          label="curl command"
          title="From a terminal"
          code={curlCommand({ token: 'YOUR_TOKEN', origin })}
          wrap
        />
        <p className="mt-2 text-muted text-xs">
          The command waits for the job and prints its result. <Link href="/tokens">Create a token</Link> and
          replace YOUR_TOKEN with it.
        </p>
        <CodeBlock
          label="Python program"
          title="Or from Python"
          code={pythonProgram({ token: 'YOUR_TOKEN', origin })}
          wrap
          className="mt-4"
        />
        <p className="mt-2 text-muted text-xs">
          It needs Python 3.8 or later and no package. It shows the output live.
        </p>
        <CodeBlock
          label="commands that install gpuq"
          title="Or install the gpuq command line"
          code={installCommands({ origin })}
          wrap
          className="mt-4"
        />
        <p className="mt-2 text-muted text-xs">
          It needs Node.js and shows a job’s output live: <code>gpuq submit solution.py config.yaml</code>.
        </p>
      </div>
    </div>
  )
}

/** Submits the sample job with one click. It stays busy until the page of the job opens. */
function RunSampleButton() {
  const runSample = useRunSample()
  const [working, setWorking] = useState(false)
  const run = async () => {
    setWorking(true)
    await runSample()
    setWorking(false)
  }
  return (
    <Button icon={Play} loading={working} onClick={() => void run()}>
      Run a sample job
    </Button>
  )
}
