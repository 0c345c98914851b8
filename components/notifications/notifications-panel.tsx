'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Mail, Pause, Pencil, Play, Plus, Send, Trash2 } from 'lucide-react'
import {
  createTarget,
  notificationsQuery,
  removeTarget,
  sendTest,
  updateTarget,
} from '@/components/notifications/queries'
import { meQuery } from '@/components/queries/queries'
import type { NotificationTarget } from '@/lib/notifications/contract'
import { notificationEvents } from '@/lib/notifications/contract-events'
import { Loaded } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { IconButton } from '../ui/icon-button'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { Skeleton } from '../ui/skeleton'
import { toastOutcome } from '../ui/toaster'
import { DeliveryLog } from './delivery-log'
import { SigningSecret } from './signing-secret'
import { EditTargetDialog, NewTargetDialog } from './target-dialogs'
import { targetKindLabels } from './target-kinds'

/** Where the user is notified, and the log of the messages. */
export function NotificationsPanel() {
  const admin = useQuery(meQuery()).data?.role === 'admin'
  const query = useQuery(notificationsQuery())
  return (
    <div id="notifications" className="scroll-mt-6">
      <Panel>
        <PanelHeader
          title="Notifications"
          description="Messages about your jobs, sent to servers and chats of your choice."
          actions={
            <NewTargetDialog
              admin={admin}
              email={query.data?.email ?? null}
              trigger={
                <Button icon={Plus} size="sm">
                  Add target
                </Button>
              }
            />
          }
        />
        <Loaded query={query} placeholder={<Skeleton className="m-4 h-16" />} failureClass="m-4">
          {({ targets, email, secret_created_at }) => (
            <>
              {email === null || targets.some(({ kind }) => kind === 'email') ? null : (
                <MailMe email={email} />
              )}
              {targets.length === 0 ? (
                <PanelBody>
                  <p className="text-muted text-sm">
                    No targets yet. Add one to be notified when your jobs start or end.
                  </p>
                </PanelBody>
              ) : (
                <ul aria-label="Targets" className="divide-y">
                  {targets.map((target) => (
                    <TargetItem key={target.id} target={target} admin={admin} />
                  ))}
                </ul>
              )}
              <SigningSecret createdAt={secret_created_at} />
              <DeliveryLog />
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  )
}

/** Adds the address of the account as a target. */
function MailMe({ email }: { email: string }) {
  const { mutate, isPending } = useMutation(createTarget)
  const add = () =>
    mutate(
      { kind: 'email', name: 'E-mail', events: ['job.completed', 'job.failed'], wait_minutes: 0 },
      toastOutcome(`You get an e-mail at ${email} when a job ends.`),
    )
  return (
    <PanelBody className="flex flex-wrap items-center justify-between gap-2 border-b">
      <p className="min-w-0 break-words text-muted text-sm">Get an e-mail to {email} when a job ends.</p>
      <Button size="sm" icon={Mail} loading={isPending} onClick={add}>
        E-mail me
      </Button>
    </PanelBody>
  )
}

function TargetItem({ target, admin }: { target: NotificationTarget; admin: boolean }) {
  const { name, kind, address, paused_at, pause_reason } = target
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 px-4 py-2.5">
      <div className="flex min-w-0 flex-1 basis-56 flex-col gap-0.5">
        <span className="flex min-w-0 flex-wrap items-center gap-1.5 text-ink text-sm">
          <span className="min-w-0 break-words font-medium">{name}</span>
          <Badge>{targetKindLabels[kind]}</Badge>
          {paused_at === null ? null : <Badge tone="warning">paused</Badge>}
        </span>
        <span className="break-all font-mono text-subtle text-xs">{address}</span>
        <span className="text-muted text-xs">{describeEvents(target)}</span>
        {pause_reason === null ? null : <span className="text-warning-ink text-xs">{pause_reason}</span>}
      </div>
      <TargetActions target={target} admin={admin} />
    </li>
  )
}

/** The chosen events, in the words of the dialog. */
function describeEvents({ events, wait_minutes: minutes }: NotificationTarget): string {
  return events
    .map((event) =>
      event === 'job.started' && minutes > 0
        ? `${notificationEvents[event]} of at least ${minutes} min`
        : notificationEvents[event],
    )
    .join(' · ')
}

function TargetActions({ target, admin }: { target: NotificationTarget; admin: boolean }) {
  const { id, name } = target
  const paused = target.paused_at !== null
  const test = useMutation(sendTest)
  const update = useMutation(updateTarget)
  const remove = useMutation(removeTarget)
  return (
    <div className="flex flex-wrap items-center gap-1">
      {paused ? null : (
        <Button
          size="sm"
          icon={Send}
          target={`to ${name}`}
          loading={test.isPending}
          onClick={() => test.mutate(id, toastOutcome('Test sent. The log below shows the answer.'))}
        >
          Send a test
        </Button>
      )}
      <IconButton
        icon={paused ? Play : Pause}
        label={`${paused ? 'Continue' : 'Pause'} ${name}`}
        onClick={() =>
          update.mutate(
            { id, paused: !paused },
            toastOutcome(paused ? `${name} continues` : `${name} paused`),
          )
        }
      />
      <EditTargetDialog
        target={target}
        admin={admin}
        trigger={<IconButton icon={Pencil} label={`Edit ${name}`} />}
      />
      <ConfirmDialog
        trigger={<IconButton icon={Trash2} variant="danger" label={`Delete ${name}`} />}
        title={`Delete “${name}”?`}
        description="Nothing is sent there any more. Its address and its log are deleted."
        confirmLabel="Delete"
        keepLabel="Keep it"
        onConfirm={() => remove.mutateAsync(id)}
      />
    </div>
  )
}
