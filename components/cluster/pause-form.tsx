import { Pause } from 'lucide-react'
import { useSchemaForm } from '../shell/use-schema-form'
import { Button } from '../ui/button'
import { TextField } from '../ui/text-field'

interface PauseFormProps {
  hint: string
  submitLabel: string
  onPause: (reason: { reason?: string }) => Promise<unknown>
}

/** Asks for the reason of a pause. */
export function PauseForm({ hint, submitLabel, onPause }: PauseFormProps) {
  const form = useSchemaForm({
    schema: () => import('./form-schemas').then((schemas) => schemas.pauseSchema),
    initial: { reason: '' },
    onSubmit: ({ reason }) => onPause(reason === '' ? {} : { reason }),
  })
  const field = form.field('reason')
  return (
    <form {...form.props} className="flex flex-col items-start gap-3">
      <TextField
        label="Reason"
        optional
        hint={hint}
        placeholder="new fan on Tuesday"
        className="w-full"
        {...field}
        error={field.error ?? form.error ?? undefined}
      />
      <Button icon={Pause} type="submit" loading={form.submitting}>
        {submitLabel}
      </Button>
    </form>
  )
}
