'use client'

import { ClipboardPaste } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ModelTable } from '@/lib/contract/cluster'
import { Button } from '../../ui/button'
import { Dialog, DialogClose } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/textarea'
import { readModelJson } from './model-rows'

const example = `{
  "default_requirement": 1.0,
  "models": {
    "qwen2.5-3b-inst": 0.5
  }
}`

/** Reads a whole table from a file's text into the form. Saving the form saves it. */
export function PasteModelsDialog({ onTable }: { onTable: (table: ModelTable) => void }) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [error, setError] = useState<string | undefined>()
  const readTable = (event: FormEvent) => {
    event.preventDefault()
    const read = readModelJson(text)
    if (!read.ok) return setError(read.message)
    onTable(read.table)
    setText('')
    setOpen(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setError(undefined)
      }}
      title="Paste JSON"
      description="The pasted table replaces the table in the form. Save the form to apply it."
      trigger={
        <Button size="sm">
          <ClipboardPaste aria-hidden />
          Paste JSON…
        </Button>
      }
    >
      <form onSubmit={readTable} noValidate className="flex flex-col gap-4">
        <Field label="JSON" error={error}>
          <Textarea
            rows={10}
            spellCheck={false}
            placeholder={example}
            className="font-mono"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setError(undefined)
            }}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" variant="primary">
            Use this table
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
