import { useMutation } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import * as z from 'zod'
import { createTarget, updateTarget } from '@/components/queries/notifications'
import {
  type CreateTarget,
  createTargetSchema,
  type NotificationEvent,
  type NotificationTarget,
  notificationEvents,
  type TargetKind,
  type UpdateTarget,
  updateTargetSchema,
} from '@/lib/contract/access/notifications'
import { DialogForm } from '../shell/form'
import { type FormFields, useSchemaForm } from '../shell/use-schema-form'
import { Dialog } from '../ui/dialog'
import { SelectField } from '../ui/select'
import { IdField, TextField } from '../ui/text-field'
import { toast } from '../ui/toaster'
import { EventFields } from './event-fields'
import { targetKindLabels } from './target-kinds'

const kinds = Object.keys(targetKindLabels) as TargetKind[]

const eventList = z.array(z.enum(Object.keys(notificationEvents) as NotificationEvent[]))
const minutes = z.string().regex(/^\d{0,5}$/, 'must be a whole number of minutes')

/** The fields of all kinds. Only those of the chosen kind are checked and sent. */
const newTargetSchema = z
  .object({
    kind: z.enum(kinds),
    name: z.string(),
    url: z.string(),
    homeserver: z.string(),
    room_id: z.string(),
    access_token: z.string(),
    events: eventList,
    wait_minutes: minutes,
  })
  .transform(({ kind, url, homeserver, room_id, access_token, ...choices }): CreateTarget => {
    const common = { ...choices, wait_minutes: Number(choices.wait_minutes) }
    if (kind === 'email') return { kind, ...common }
    if (kind === 'matrix') return { kind, ...common, homeserver, room_id, access_token }
    return { kind, ...common, url }
  })
  .pipe(createTargetSchema)

const changedTargetSchema = z
  .object({ name: z.string(), events: eventList, wait_minutes: minutes })
  .transform((values): UpdateTarget => ({ ...values, wait_minutes: Number(values.wait_minutes) }))
  .pipe(updateTargetSchema)

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
  const initial: z.input<typeof newTargetSchema> = {
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
    schema: newTargetSchema,
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

function AddressFields({
  kind,
  form,
}: {
  kind: TargetKind
  form: FormFields<z.input<typeof newTargetSchema>>
}) {
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
        hint="Of a user who is in the room. Stored encrypted; no page shows it again."
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
    schema: changedTargetSchema,
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
