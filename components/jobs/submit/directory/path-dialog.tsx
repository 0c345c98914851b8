import type { ReactElement } from 'react'
import * as z from 'zod'
import { DialogForm } from '../../../shell/form'
import { useSchemaForm } from '../../../shell/use-schema-form'
import { Dialog } from '../../../ui/dialog'
import { IdField } from '../../../ui/text-field'
import { type Directory, refuseNewPath } from './directory'

interface PathDialogProps {
  title: string
  submitLabel: string
  directory: Directory
  initial: string
  /** The button that opens it. Without one, it is open. */
  trigger?: ReactElement
  onClose?: () => void
  onPath: (path: string) => void
}

/** Asks for the path of a file in the directory. */
export function PathDialog({ title, trigger, onClose, ...form }: PathDialogProps) {
  return (
    <Dialog title={title} trigger={trigger} onClose={onClose}>
      {(close) => <PathForm {...form} onDone={close} />}
    </Dialog>
  )
}

interface PathFormProps extends Pick<PathDialogProps, 'submitLabel' | 'directory' | 'initial' | 'onPath'> {
  onDone: () => void
}

function PathForm({ submitLabel, directory, initial, onPath, onDone }: PathFormProps) {
  const path = z.string().superRefine((value, context) => {
    const why = value === initial && initial !== '' ? null : refuseNewPath(directory, value)
    if (why !== null) context.addIssue({ code: 'custom', message: `This path ${why}.` })
  })
  const form = useSchemaForm({
    schema: z.object({ path }),
    initial: { path: initial },
    onSubmit: async (values) => {
      if (values.path !== initial) onPath(values.path)
      onDone()
    },
  })
  return (
    <DialogForm form={form} submitLabel={submitLabel}>
      <IdField
        label="Path"
        hint="Relative to the directory. Slashes make subdirectories."
        placeholder="src/model.py"
        {...form.field('path')}
      />
    </DialogForm>
  )
}
