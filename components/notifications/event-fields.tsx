import { useId } from 'react'
import {
  adminEvents,
  jobEvents,
  type NotificationEvent,
  notificationEvents,
} from '@/lib/notifications/contract-events'
import type { FormFields } from '../shell/use-schema-form'
import { Checkbox } from '../ui/checkbox'
import type { FieldBinding } from '../ui/field-context'
import { NumberField } from '../ui/text-field'

interface EventValues {
  events: NotificationEvent[]
  wait_minutes: string
}

/** The events of a target, and the wait from which a start is one. */
export function EventFields({
  admin,
  form,
}: {
  admin: boolean
  form: FormFields<EventValues> & { values: EventValues }
}) {
  return (
    <>
      <EventChoice admin={admin} {...form.field('events')} />
      {form.values.events.includes('job.started') ? (
        <NumberField
          label="Shortest wait in minutes"
          optional
          hint="You hear of a start only if the job waited this long."
          placeholder="0"
          {...form.field('wait_minutes')}
        />
      ) : null}
    </>
  )
}

function EventChoice({
  admin,
  value,
  error,
  onChange,
}: FieldBinding<NotificationEvent[]> & { admin: boolean }) {
  const noteId = useId()
  const offered = Object.entries(admin ? notificationEvents : jobEvents) as [NotificationEvent, string][]
  return (
    <fieldset aria-describedby={error ? noteId : undefined}>
      <legend className="mb-1.5 font-medium text-ink text-sm">Events</legend>
      <div className="flex flex-col gap-1.5">
        {offered.map(([event, label]) => (
          <Checkbox
            key={event}
            label={label}
            description={event in adminEvents ? 'For admins' : undefined}
            checked={value.includes(event)}
            aria-invalid={error ? true : undefined}
            onCheckedChange={(on) =>
              onChange(
                offered.map(([own]) => own).filter((own) => (own === event ? on : value.includes(own))),
              )
            }
          />
        ))}
      </div>
      <p id={noteId} aria-live="polite" className="text-danger-ink text-xs">
        {error}
      </p>
    </fieldset>
  )
}
