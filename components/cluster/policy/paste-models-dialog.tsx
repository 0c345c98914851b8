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

/** Takes a whole table from a file's text. It is saved with the form below, not at once. */
export function PasteModelsDialog({ onTable }: { onTable: (table: ModelTable) => void }) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [mistake, setMistake] = useState<string | undefined>()
  const take = (event: FormEvent) => {
    event.preventDefault()
    const read = readModelJson(text)
    if (!read.ok) return setMistake(read.message)
    onTable(read.table)
    setText('')
    setOpen(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setMistake(undefined)
      }}
      title="Paste JSON"
      description="It takes the place of the table in the form. Nothing is saved yet."
      trigger={
        <Button size="sm">
          <ClipboardPaste aria-hidden />
          Paste JSON…
        </Button>
      }
    >
      <form onSubmit={take} noValidate className="flex flex-col gap-4">
        <Field label="JSON" error={mistake}>
          <Textarea
            rows={10}
            spellCheck={false}
            placeholder={example}
            className="font-mono"
            value={text}
            onChange={(event) => {
              setText(event.target.value)
              setMistake(undefined)
            }}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" variant="primary">
            Take it over
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
