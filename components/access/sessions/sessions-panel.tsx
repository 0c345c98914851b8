'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { endAllSessions, endOtherSessions, endSession, sessionsQuery } from '@/components/queries/queries'
import type { Session } from '@/lib/contract/access/access'
import { Loaded } from '../../shell/load-failure'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Panel, PanelFooter, PanelHeader } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { Skeleton } from '../../ui/skeleton'
import { toast, toastOutcome } from '../../ui/toaster'
import { describeUserAgent } from './describe-user-agent'

/** The browsers in which the user is signed in. */
export function SessionsPanel() {
  const sessions = useQuery(sessionsQuery())
  return (
    <Panel>
      <PanelHeader title="Sessions" description="The browsers in which you are signed in." />
      <Loaded query={sessions} placeholder={<Skeleton className="m-4 w-64" />} failureClass="m-4">
        {(known) => (
          <ul aria-label="Sessions" className="divide-y">
            {known.map((session) => (
              <SessionItem key={session.session_id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
      <PanelFooter>
        <EndOthers disabled={(sessions.data?.length ?? 0) < 2} />
        <EndAll />
      </PanelFooter>
    </Panel>
  )
}

function SessionItem({ session }: { session: Session }) {
  const { mutate, isPending } = useMutation(endSession)
  const name = describeUserAgent(session.user_agent)
  return (
    <li className="flex min-h-14 items-center justify-between gap-3 px-4 py-2">
      <div className="flex min-w-0 flex-col">
        <span className="flex min-w-0 items-center gap-1.5 text-ink text-sm">
          <span className="min-w-0 truncate" title={session.user_agent}>
            {name}
          </span>
          {session.current ? <Badge tone="info">this browser</Badge> : null}
        </span>
        <span className="min-w-0 break-words text-subtle text-xs">
          {session.address} · signed in <RelativeTime at={session.created_at} /> · last used{' '}
          <RelativeTime at={session.last_seen_at} />
        </span>
      </div>
      {session.current ? null : (
        <Button
          target={`session of ${name}`}
          size="sm"
          loading={isPending}
          onClick={() => mutate(session.session_id, toastOutcome('Session ended'))}
        >
          End
        </Button>
      )}
    </li>
  )
}

function EndOthers({ disabled }: { disabled: boolean }) {
  const { mutateAsync } = useMutation(endOtherSessions)
  return (
    <ConfirmDialog
      trigger={<Button disabled={disabled}>Sign out other sessions…</Button>}
      title="Sign out all other sessions?"
      description="You must sign in again in every other browser. Your tokens stay valid."
      confirmLabel="Sign out others"
      onConfirm={async () => {
        await mutateAsync()
        toast.success('Other sessions ended')
      }}
    />
  )
}

function EndAll() {
  const { mutateAsync } = useMutation(endAllSessions)
  return (
    <ConfirmDialog
      trigger={<Button variant="danger-quiet">Sign out everywhere…</Button>}
      title="Sign out everywhere?"
      description="You must sign in again in every browser, this one too. Your tokens stay valid."
      confirmLabel="Sign out everywhere"
      onConfirm={async () => {
        await mutateAsync()
        // A full page load clears the data of the session from memory.
        window.location.assign('/sign-in')
      }}
    />
  )
}
