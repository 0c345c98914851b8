import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleMinus, CircleX, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react'
import type { CheckStatus, NodeCheck, NodeReport } from '@/lib/node-checks/contract'
import { nodeStateStyles } from '../cluster/state-styles'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { cn } from '../ui/class-names'
import { formatCount } from '../ui/format-number'
import { Panel } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { StatusBadge } from '../ui/status-badge'
import { toastOutcome } from '../ui/toaster'
import type { Tone } from '../ui/tones'
import { checkNode } from './queries'

const statusStyles = {
  failure: { tone: 'danger', icon: CircleX, label: 'Failure' },
  warning: { tone: 'warning', icon: TriangleAlert, label: 'Warning' },
  ok: { tone: 'success', icon: CircleCheck, label: 'OK' },
  not_applicable: { tone: 'neutral', icon: CircleMinus, label: 'Not applicable' },
} as const satisfies Record<CheckStatus, { tone: Tone; icon: LucideIcon; label: string }>

const isProblem = ({ status }: NodeCheck) => status === 'failure' || status === 'warning'

/** The checks of one node: problems with what to do, then the others behind a disclosure. */
export function NodeReportPanel({ report }: { report: NodeReport }) {
  const { node_id, name, state, checks } = report
  const problems = checks.filter(isProblem)
  const others = checks.filter((check) => !isProblem(check))
  return (
    <div id={`node-${node_id}`} className="scroll-mt-16">
      <Panel>
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-2">
          <div className="min-w-0 flex-1 basis-56">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <h2 className="min-w-0 break-words font-semibold text-ink text-sm">{name}</h2>
              {state === 'ready' ? null : (
                <StatusBadge {...nodeStateStyles[state]} variant="plain" className="text-xs" />
              )}
              <ProblemCounts report={report} />
            </div>
            <p className="text-muted text-xs">
              <LastCheck report={report} />
            </p>
          </div>
          {state === 'lost' || state === 'drained' ? null : <CheckAgain report={report} />}
        </header>
        {problems.length === 0 ? null : <CheckList label={`Problems of ${name}`} checks={problems} />}
        {others.length === 0 ? null : (
          <details open={problems.length === 0} className={cn(problems.length > 0 && 'border-t')}>
            <summary className="px-4 py-2 text-muted text-xs">
              {formatCount(others.length, 'check')} without a problem
            </summary>
            <CheckList label={`Other checks of ${name}`} checks={others} />
          </details>
        )}
      </Panel>
    </div>
  )
}

function ProblemCounts({ report: { checked_at, failures, warnings } }: { report: NodeReport }) {
  if (checked_at === null) return null
  if (failures + warnings === 0) return <Badge tone="success">no problems</Badge>
  return (
    <>
      {failures === 0 ? null : <Badge tone="danger">{formatCount(failures, 'failure')}</Badge>}
      {warnings === 0 ? null : <Badge tone="warning">{formatCount(warnings, 'warning')}</Badge>}
    </>
  )
}

function LastCheck({ report: { checked_at, checking, state } }: { report: NodeReport }) {
  if (checking) return 'A check runs. It takes a few seconds, and longer on a machine with GPUs.'
  if (checked_at !== null) {
    return (
      <>
        Checked <RelativeTime at={checked_at} />
      </>
    )
  }
  return state === 'ready' ? 'Not checked yet.' : 'Not checked. Start its worker.'
}

function CheckAgain({ report: { node_id, name, checked_at, checking } }: { report: NodeReport }) {
  const { mutate, isPending } = useMutation(checkNode)
  return (
    <Button
      size="sm"
      loading={isPending || checking}
      onClick={() => mutate(node_id, toastOutcome(`${name} checks itself`))}
    >
      <RefreshCw aria-hidden />
      {checked_at === null ? 'Check' : 'Check again'}
      <span className="sr-only"> {name}</span>
    </Button>
  )
}

function CheckList({ label, checks }: { label: string; checks: readonly NodeCheck[] }) {
  return (
    <ul aria-label={label} className="divide-y">
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
    </ul>
  )
}

function CheckRow({ check: { status, title, found, action } }: { check: NodeCheck }) {
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 text-sm sm:grid-cols-[15rem_1fr]">
      <div className="flex min-w-0 items-baseline justify-between gap-2 sm:flex-col sm:justify-start sm:gap-0.5">
        <p className="min-w-0 break-words font-medium text-ink">{title}</p>
        <StatusBadge {...statusStyles[status]} variant="plain" className="text-xs" />
      </div>
      <div className="min-w-0 break-words">
        <p className="text-ink">
          <WithCode text={found} />
        </p>
        {action === null ? null : (
          <p className="mt-0.5 text-muted">
            <span className="font-medium">What to do:</span> <WithCode text={action} />
          </p>
        )}
      </div>
    </li>
  )
}

/** Text with commands between backticks. */
function WithCode({ text }: { text: string }) {
  const [, before, code, rest = ''] = /^([^`]*)`([^`]+)`(.*)$/s.exec(text) ?? []
  if (code === undefined) return text
  return (
    <>
      {before}
      <code className="font-mono text-ink text-xs">{code}</code>
      <WithCode text={rest} />
    </>
  )
}
