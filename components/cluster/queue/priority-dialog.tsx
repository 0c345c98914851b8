'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { setPriority } from '@/components/queries/cluster'
import type { QueueJob } from '@/lib/contract/cluster'
import { FormActions } from '../../shell/form-actions'
import { numberText } from '../../shell/number-text'
import { useSchemaForm } from '../../shell/use-schema-form'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { toast } from '../../ui/toaster'
import { queueJobTitle } from './job-cell'

const schema = z.object({ priority: numberText({ min: -100, max: 100, whole: true }) })

interface PriorityDialogProps {
  job: QueueJob
  onClose: () => void
}

/** Moves a waiting job forward or back. */
export function PriorityDialog({ job, onClose }: PriorityDialogProps) {
  const { mutateAsync } = useMutation(setPriority)
  const form = useSchemaForm({
    schema,
    initial: { priority: String(job.priority) },
    send: async ({ priority }) => {
      if (job.job_id === null) return
      await mutateAsync({ id: job.job_id, priority })
      toast.success(`The priority is ${priority} now`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Change the priority"
      description={queueJobTitle(job)}
    >
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <Field
          label="Priority"
          hint="From −100 to 100. Where the policy goes by priority, a higher number goes first."
          error={form.errorOf('priority')}
        >
          <Input
            inputMode="numeric"
            autoComplete="off"
            value={form.values.priority}
            onChange={(event) => form.set({ priority: event.target.value })}
          />
        </Field>
        <FormActions form={form} send="Change it" />
      </form>
    </Dialog>
  )
}
