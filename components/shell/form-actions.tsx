'use client'

import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { DialogClose } from '../ui/dialog'

/** What went wrong beyond single fields. */
export function FormFailure({ failure }: { failure: string | null }) {
  if (failure === null) return null
  return (
    <Callout tone="danger" announce>
      {failure}
    </Callout>
  )
}

interface FormActionsProps {
  form: { failure: string | null; working: boolean }
  /** What sending does: "Make the token". */
  send: string
}

/** The end of a form in a dialog: what went wrong, the way out, and the button that sends. */
export function FormActions({ form, send }: FormActionsProps) {
  return (
    <>
      <FormFailure failure={form.failure} />
      <div className="flex justify-end gap-2">
        <DialogClose>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="primary" loading={form.working}>
          {send}
        </Button>
      </div>
    </>
  )
}
