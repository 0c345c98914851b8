'use client'

import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { replaceModels } from '@/components/queries/cluster'
import type { ModelTable } from '@/lib/contract/cluster'
import { FormFailure } from '../../shell/form-actions'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Input } from '../../ui/input'
import { Panel, PanelBody, PanelFooter, PanelHeader } from '../../ui/panel'
import { toast } from '../../ui/toaster'
import { ModelRowFields } from './model-row-fields'
import { type ModelRow, readModelRows, toModelRows } from './model-rows'
import { PasteModelsDialog } from './paste-models-dialog'

/** What each model needs: `--llm NAME` among a job's arguments stands for so many GPUs. */
export function ModelTableForm({ table }: { table: ModelTable }) {
  const form = useModelTable(table)
  return (
    <Panel>
      <PanelHeader
        title="Models"
        description="What --llm NAME in a job’s arguments stands for."
        actions={<PasteModelsDialog onTable={form.replace} />}
      />
      <form onSubmit={form.submit} noValidate>
        <PanelBody className="flex flex-col gap-4">
          <Field
            label="Any other model"
            hint="GPUs for a name that is not in the table."
            error={form.errors?.defaultError}
            className="max-w-xs"
          >
            <Input
              inputMode="decimal"
              autoComplete="off"
              value={form.defaultNeed}
              onChange={(event) => form.setDefaultNeed(event.target.value)}
            />
          </Field>
          {form.rows.length === 0 ? <p className="text-muted text-sm">The table is empty.</p> : null}
          <ul className="flex flex-col gap-2">
            {form.rows.map((row) => (
              <ModelRowFields
                key={row.id}
                row={row}
                errors={form.errors?.rowErrors.get(row.id)}
                onChange={form.change}
                onRemove={() => form.remove(row.id)}
              />
            ))}
          </ul>
          <Button size="sm" className="self-start" onClick={form.add}>
            <Plus aria-hidden />
            Add a model
          </Button>
          <FormFailure failure={form.failure} />
        </PanelBody>
        <PanelFooter>
          <Button type="submit" variant="primary" loading={form.working}>
            Save the models
          </Button>
        </PanelFooter>
      </form>
    </Panel>
  )
}

/** The table while it is being edited. As in other forms, nothing is marked before the first try to save. */
function useModelTable(table: ModelTable) {
  const { mutateAsync, isPending } = useMutation(replaceModels)
  const [defaultNeed, setDefaultNeed] = useState(String(table.default_requirement))
  const [rows, setRows] = useState(() => toModelRows(table))
  const [tried, setTried] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const read = readModelRows(defaultNeed, rows)

  const save = async () => {
    setTried(true)
    setFailure(null)
    if (!read.ok) return
    try {
      await mutateAsync(read.table)
      toast.success('The models were saved')
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'It did not work. Try again.')
    }
  }
  return {
    defaultNeed,
    setDefaultNeed,
    rows,
    errors: tried && !read.ok ? read : undefined,
    failure,
    working: isPending,
    submit: (event: FormEvent) => {
      event.preventDefault()
      if (!isPending) void save()
    },
    add: () => setRows([...rows, { id: nextId(rows), name: '', need: '1' }]),
    change: (row: ModelRow) => setRows(rows.map((old) => (old.id === row.id ? row : old))),
    remove: (id: number) => setRows(rows.filter((row) => row.id !== id)),
    replace: (pasted: ModelTable) => {
      setDefaultNeed(String(pasted.default_requirement))
      const first = nextId(rows)
      // New ids: a row that stays must not keep what was typed into an old one.
      setRows(toModelRows(pasted).map((row) => ({ ...row, id: first + row.id })))
    },
  }
}

function nextId(rows: readonly ModelRow[]): number {
  return Math.max(-1, ...rows.map(({ id }) => id)) + 1
}
