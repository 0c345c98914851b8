'use client'

import { Pause } from 'lucide-react'
import { z } from 'zod'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { Field } from '../ui/field'
import { Input } from '../ui/input'

const schema = z.object({ reason: z.string().trim().max(200) })

interface PauseFormProps {
  hint: string
  /** What sending does: "Pause this GPU". */
  send: string
  onPause: (reason: { reason?: string }) => Promise<unknown>
}

/** Takes something out of service, and asks why. */
export function PauseForm({ hint, send, onPause }: PauseFormProps) {
  const form = useSchemaForm({
    schema,
    initial: { reason: '' },
    send: ({ reason }) => onPause(reason === '' ? {} : { reason }),
  })
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col items-start gap-3">
      <Field
        label="Reason"
        optional
        hint={hint}
        error={form.errorOf('reason') ?? form.failure ?? undefined}
        className="w-full"
      >
        <Input
          placeholder="new fan on Tuesday"
          value={form.values.reason}
          onChange={(event) => form.set({ reason: event.target.value })}
        />
      </Field>
      <Button type="submit" loading={form.working}>
        <Pause aria-hidden />
        {send}
      </Button>
    </form>
  )
}
