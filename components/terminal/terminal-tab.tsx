import { SquareTerminal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useId, useState } from 'react'
import type { FeatureTabProps } from '../jobs/detail/job-tab'
import { formatPerson } from '../shell/person'
import { Button } from '../ui/button'
import { CopyButton } from '../ui/copy-button'
import { EmptyState } from '../ui/empty-state'
import { Kbd } from '../ui/kbd'
import { Select } from '../ui/select'
import { Skeleton } from '../ui/skeleton'
import { StatusBadge } from '../ui/status-badge'
import { terminalStatus } from './terminal-status'

/** xterm.js is large, and needs a browser. */
const TerminalScreen = dynamic(() => import('./terminal-screen').then((module) => module.TerminalScreen), {
  ssr: false,
  loading: () => <Skeleton className="m-2 flex-1" />,
})

/**
 * The terminal of a job: its output, and keys to its program while it runs. An admin types in another user's terminal only after
 * asking for it. A manager only sees it.
 */
export function TerminalTab({ job, stream, access }: FeatureTabProps) {
  const id = useId()
  const [rank, setRank] = useState(0)
  const [admitted, setAdmitted] = useState(access === 'owner')
  const running = job.status === 'running'
  const canType = running && admitted
  const status = terminalStatus(job, stream.connection, canType)
  const waits = job.status === 'pending' && !job.placed
  return (
    // As high as what the page leaves of the window, as the output.
    <section
      aria-label="Terminal"
      className="flex min-h-80 grow basis-0 flex-col overflow-clip rounded-lg border bg-surface has-[textarea:focus]:outline-2 has-[textarea:focus]:outline-focus"
    >
      <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1.5 border-b px-3 py-1.5 text-sm">
        <div role="status">
          <StatusBadge variant="plain" {...status} />
        </div>
        {running && !admitted && access === 'admin' ? (
          <>
            <p className="order-last basis-full text-muted text-xs sm:order-none sm:min-w-0 sm:flex-1 sm:basis-0">
              This job belongs to {formatPerson(job.user_id, job.user_name)}. The audit log records it if you
              type.
            </p>
            <Button size="sm" onClick={() => setAdmitted(true)}>
              Type in this terminal
            </Button>
          </>
        ) : null}
        <RankSelect count={job.resources.asked.instance_count} rank={rank} onRank={setRank} />
      </header>
      <div className="flex min-h-0 flex-1 flex-col p-2">
        {waits ? (
          <EmptyState icon={SquareTerminal} title="The job is waiting" className="m-auto">
            Its terminal appears here when it starts.
          </EmptyState>
        ) : (
          <TerminalScreen
            key={rank}
            jobId={job.job_id}
            rank={rank}
            attempt={job.attempt}
            feed={stream.terminals.of(rank)}
            canType={canType}
            describedBy={`${id}-keys`}
          />
        )}
      </div>
      {running ? (
        <footer className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t bg-sunken px-3 py-1 text-muted text-xs">
          <p id={`${id}-keys`}>
            {canType ? (
              <>
                <Kbd>Esc</Kbd>, then <Kbd>Tab</Kbd> leaves the terminal. The job continues.
              </>
            ) : (
              <>
                <Kbd>Tab</Kbd> leaves the terminal.
              </>
            )}
          </p>
          {access === 'manager' ? null : <AttachCommand id={job.job_id} rank={rank} />}
        </footer>
      ) : null}
    </section>
  )
}

interface RankSelectProps {
  count: number
  rank: number
  onRank: (rank: number) => void
}

/** A job with several instances has a terminal for each. */
function RankSelect({ count, rank, onRank }: RankSelectProps) {
  if (count === 1) return null
  return (
    <Select
      aria-label="Rank"
      value={String(rank)}
      onValueChange={(selected) => onRank(Number(selected))}
      options={Array.from({ length: count }, (_, of) => ({ value: String(of), label: `Rank ${of}` }))}
      className="ml-auto w-28"
    />
  )
}

/** The command for a user's own terminal. */
function AttachCommand({ id, rank }: { id: string; rank: number }) {
  const command = `gpuq attach ${id}${rank === 0 ? '' : ` --rank ${rank}`}`
  return (
    <p className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 break-all text-ink">{command}</code>
      <CopyButton text={command} label="Copy command" />
    </p>
  )
}
