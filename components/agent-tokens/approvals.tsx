'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import type { Approval } from '@/lib/agent-tokens/contract'
import { approvalTitle } from '@/lib/agent-tokens/contract-title'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { formatCount } from '../ui/format-number'
import { Link } from '../ui/link'
import { RelativeTime } from '../ui/relative-time'
import { approvalsQuery, approve, refuse } from './queries'

interface ApprovalsProps {
  /** Also those of other users, for admins. */
  everyone: boolean
  /** Only that of this job or group. */
  only?: string
}

/** The jobs and groups of agents that wait until a person approves them; nothing if there are none. */
export function Approvals({ everyone, only }: ApprovalsProps) {
  const { data = [] } = useQuery(approvalsQuery(everyone))
  const shown = only === undefined ? data : data.filter(({ id }) => id === only)
  if (shown.length === 0) return null
  return (
    <Callout
      tone="warning"
      title={everyone ? 'Waits for an approval' : 'Waits for your approval'}
      className="mb-3"
    >
      <ul className="flex flex-col gap-2">
        {shown.map((approval) => (
          <li key={approval.id} className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <span className="min-w-0 grow wrap-anywhere">
              <Description approval={approval} linked={only === undefined} named={everyone} />
            </span>
            <span className="flex gap-2">
              <Decision approval={approval} kind="approve" />
              <Decision approval={approval} kind="refuse" />
            </span>
          </li>
        ))}
      </ul>
    </Callout>
  )
}

const hoursOf = ({ gpu_hours }: Approval) => formatCount(Math.round(gpu_hours * 100) / 100, 'GPU hour')

interface DescriptionProps {
  approval: Approval
  /** With a link to its page. */
  linked: boolean
  /** With the name of its user. */
  named: boolean
}

function Description({ approval, linked, named }: DescriptionProps) {
  const { id, kind, user_id, submitted_with: token, expires_at } = approval
  return (
    <>
      {linked ? <Link href={`/${kind}s/${id}`}>{approvalTitle(approval)}</Link> : `This ${kind}`}
      {named ? ` of ${user_id}` : ''} may cost {hoursOf(approval)}
      {token === null ? '' : `. The token “${token.name}” submitted it`}. Without an approval, it is refused{' '}
      <RelativeTime at={expires_at} />.
    </>
  )
}

const decisions = {
  approve: {
    label: 'Approve',
    mutation: approve,
    variant: 'primary',
    effect: 'It starts when GPUs are free.',
  },
  refuse: {
    label: 'Refuse',
    mutation: refuse,
    variant: 'danger-quiet',
    effect: 'It is cancelled, and nothing of it runs. The agent is told that you refused it.',
  },
} as const

function Decision({ approval, kind }: { approval: Approval; kind: keyof typeof decisions }) {
  const { label, mutation, variant, effect } = decisions[kind]
  const { mutateAsync } = useMutation(mutation)
  return (
    <ConfirmDialog
      trigger={
        <Button variant={variant} aria-label={`${label} ${approvalTitle(approval)}`}>
          {label}
        </Button>
      }
      title={`${label} “${approvalTitle(approval)}”?`}
      description={`It may cost ${hoursOf(approval)}. ${effect}`}
      confirmLabel={label}
      keepLabel="Decide later"
      onConfirm={() => mutateAsync(approval.id)}
    />
  )
}
