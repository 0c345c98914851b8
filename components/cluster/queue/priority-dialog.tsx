'use client'

import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { setPriority } from '@/components/queries/cluster'
import type { QueueJob } from '@/lib/contract/cluster'
import { FormActions } from '../../shell/form-actions'
import { numberText } from '../../shell/number-text'
import { useSchemaForm } from '../../shell/use-schema-form'
import { Dialog } from '../../ui/dialog'
import { TextField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import { queueJobTitle } from './job-cell'

const schema = z.object({ priority: numberText({ min: -100, max: 100, whole: true }) })

interface PriorityDialogProps {
  job: QueueJob
  onClose: () => void
}

/** Changes the priority of a waiting job. */
export function PriorityDialog({ job, onClose }: PriorityDialogProps) {
  const { mutateAsync } = useMutation(setPriority)
  const form = useSchemaForm({
    schema,
    initial: { priority: String(job.priority) },
    onSubmit: async ({ priority }) => {
      if (job.job_id === null) return
      await mutateAsync({ id: job.job_id, priority })
      toast.success(`Priority set to ${priority}`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Change priority"
      description={queueJobTitle(job)}
    >
      <form {...form.props} className="flex flex-col gap-4">
        <TextField
          label="Priority"
          hint="From −100 to 100. Under the priority policy, a higher number starts first."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('priority')}
        />
        <FormActions form={form} submitLabel="Change priority" />
      </form>
    </Dialog>
  )
}
