'use client'

import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { DialogClose } from '../ui/dialog'

/** An error that belongs to no single field. */
export function FormError({ error }: { error: string | null }) {
  if (error === null) return null
  return (
    <Callout tone="danger" announce>
      {error}
    </Callout>
  )
}

interface FormActionsProps {
  form: { error: string | null; submitting: boolean }
  submitLabel: string
}

/** The end of a form in a dialog: its error, Cancel and Submit. */
export function FormActions({ form, submitLabel }: FormActionsProps) {
  return (
    <>
      <FormError error={form.error} />
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="primary" loading={form.submitting}>
          {submitLabel}
        </Button>
      </div>
    </>
  )
}
