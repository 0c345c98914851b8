import { ClipboardPaste } from 'lucide-react'
import type { ModelTable } from '@/lib/contract/cluster/policy'
import { DialogForm } from '../../shell/form'
import { useSchemaForm } from '../../shell/use-schema-form'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/textarea'

const example = `{
  "default_requirement": 1.0,
  "models": {
    "qwen2.5-3b-inst": 0.5
  }
}`

interface PasteModelsProps {
  onTable: (table: ModelTable) => void
}

/** Reads a whole table from a file's text into the form. Saving the form saves it. */
export function PasteModelsDialog({ onTable }: PasteModelsProps) {
  return (
    <Dialog
      title="Paste JSON"
      description="The pasted table replaces the table in the form. Save the form to apply it."
      trigger={
        <Button icon={ClipboardPaste} size="sm">
          Paste JSON…
        </Button>
      }
    >
      {(close) => <PasteModelsForm onTable={onTable} onDone={close} />}
    </Dialog>
  )
}

function PasteModelsForm({ onTable, onDone }: PasteModelsProps & { onDone: () => void }) {
  const form = useSchemaForm({
    schema: () => import('./policy-schemas').then((schemas) => schemas.pastedModelsSchema),
    initial: { json: '' },
    onSubmit: async ({ json }) => {
      onTable(json)
      onDone()
    },
  })
  const { error, onChange, ...control } = form.field('json')
  return (
    <DialogForm form={form} submitLabel="Use this table">
      <Field label="JSON" error={error} id={control.id}>
        <Textarea
          rows={10}
          spellCheck={false}
          placeholder={example}
          className="font-mono"
          {...control}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
    </DialogForm>
  )
}
