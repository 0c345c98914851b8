import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { createTarget, updateTarget } from '@/components/notifications/queries'
import type { NotificationTarget, TargetKind } from '@/lib/notifications/contract'
import { DialogForm } from '../shell/form'
import { type FormFields, useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { SelectField } from '../ui/select'
import { IdField, TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { EventFields } from './event-fields'
import { targetKindLabels } from './target-kinds'
import type { NewTargetValues } from './target-schemas'

const kinds = Object.keys(targetKindLabels) as TargetKind[]

interface TargetDialogProps {
  /** Admins also choose events of the cluster. */
  admin: boolean
  trigger: ReactElement
}

interface MailProps {
  /** The address of the user's account; null: gpuq cannot send e-mail to it. */
  email: string | null
}

/** Adds a target. */
export function NewTargetDialog({ admin, email, trigger }: TargetDialogProps & MailProps) {
  return (
    <Dialog trigger={trigger} title="New target" description="Where gpuq sends messages about your jobs.">
      {(close) => <NewTargetForm admin={admin} email={email} onSaved={close} />}
    </Dialog>
  )
}

function NewTargetForm({ admin, email, onSaved }: MailProps & { admin: boolean; onSaved: () => void }) {
  const { mutateAsync } = useMutation(createTarget)
  const initial: NewTargetValues = {
    kind: 'webhook',
    name: '',
    url: '',
    homeserver: '',
    room_id: '',
    access_token: '',
    events: ['job.completed', 'job.failed'],
    wait_minutes: '',
  }
  const form = useSchemaForm({
    schema: () => import('./target-schemas').then((schemas) => schemas.newTargetSchema),
    initial,
    onSubmit: async (values) => {
      await mutateAsync(values)
      toast.success(`${values.name} added. Send a test to check it.`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Add target">
      <SelectField
        label="Kind"
        hint={form.values.kind === 'email' ? `To ${email}, the address of your account.` : undefined}
        options={kinds
          .filter((kind) => kind !== 'email' || email !== null)
          .map((value) => ({ value, label: targetKindLabels[value] }))}
        {...form.field('kind')}
      />
      <TextField label="Name" placeholder="Lab channel" {...form.field('name')} />
      <AddressFields kind={form.values.kind} form={form} />
      <EventFields admin={admin} form={form} />
    </DialogForm>
  )
}

const urlHints = {
  webhook: 'Receives JSON. Stored encrypted.',
  slack: "The channel's incoming webhook. Stored encrypted; no page shows it again.",
  discord: "The channel's webhook, from its integrations. Stored encrypted; no page shows it again.",
} as const

const urlExamples = {
  webhook: 'https://example.org/gpuq',
  slack: 'https://hooks.slack.com/services/…',
  discord: 'https://discord.com/api/webhooks/…',
} as const

function AddressFields({ kind, form }: { kind: TargetKind; form: FormFields<NewTargetValues> }) {
  if (kind === 'email') return null
  if (kind !== 'matrix') {
    return (
      <IdField
        label="Address"
        inputMode="url"
        autoComplete="off"
        hint={urlHints[kind]}
        placeholder={urlExamples[kind]}
        {...form.field('url')}
      />
    )
  }
  return (
    <>
      <IdField
        label="Homeserver"
        inputMode="url"
        placeholder="https://matrix.org"
        {...form.field('homeserver')}
      />
      <IdField
        label="Room"
        hint="The internal id, from the room's advanced settings."
        placeholder="!abc:matrix.org"
        {...form.field('room_id')}
      />
      <IdField
        label="Access token"
        type="password"
        autoComplete="new-password"
        hint="The token of a user who is in the room. Stored encrypted; no page shows it again."
        {...form.field('access_token')}
      />
    </>
  )
}

/** Changes the name and the events of a target. */
export function EditTargetDialog({
  target,
  admin,
  trigger,
}: TargetDialogProps & { target: NotificationTarget }) {
  return (
    <Dialog
      trigger={trigger}
      title={`Edit ${target.name}`}
      description="To change the address, delete the target and add it again."
    >
      {(close) => <EditTargetForm target={target} admin={admin} onSaved={close} />}
    </Dialog>
  )
}

function EditTargetForm({
  target,
  admin,
  onSaved,
}: {
  target: NotificationTarget
  admin: boolean
  onSaved: () => void
}) {
  const { mutateAsync } = useMutation(updateTarget)
  const { id, name, events, wait_minutes } = target
  const form = useSchemaForm({
    schema: () => import('./target-schemas').then((schemas) => schemas.changedTargetSchema),
    initial: { name, events, wait_minutes: String(wait_minutes) },
    onSubmit: async (values) => {
      await mutateAsync({ id, ...values })
      toast.success(`${values.name} saved`)
      onSaved()
    },
  })
  return (
    <DialogForm form={form} submitLabel="Save">
      <TextField label="Name" {...form.field('name')} />
      <EventFields admin={admin} form={form} />
    </DialogForm>
  )
}
