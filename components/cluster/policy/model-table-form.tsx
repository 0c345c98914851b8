import { useMutation } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { replaceModels } from '@/components/queries/cluster'
import type { ModelTable } from '@/lib/contract/cluster/policy'
import { PanelForm } from '../../shell/form'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { loadPart } from '../../ui/missing-part'
import { onDemand } from '../../ui/on-demand'
import { IdField, NumberField } from '../../ui/text-field'
import { toast } from '../../ui/toaster'
import { type ModelRow, type RowErrors, toModelRows } from './model-rows'
import { PasteModelsDialog } from './paste-models-dialog'

/** Loaded with the first submit: it has zod. */
const reader = onDemand(() => import('./read-models'))

/** The GPUs that each model needs. A job selects a model with `--llm NAME` in its arguments. */
export function ModelTableForm({ table }: { table: ModelTable }) {
  const form = useModelTable(table)
  return (
    <PanelForm
      title="Models"
      description="GPUs for --llm NAME in a job’s arguments."
      actions={<PasteModelsDialog onTable={form.replace} />}
      form={form}
      submitLabel="Save models"
    >
      <NumberField
        label="Other models"
        hint="GPUs for a model that is not in the table."
        className="max-w-xs"
        value={form.defaultNeed}
        error={form.errors?.defaultError}
        onChange={form.setDefaultNeed}
      />
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
      <Button icon={Plus} size="sm" className="self-start" onClick={form.add}>
        Add model
      </Button>
    </PanelForm>
  )
}

interface ModelRowFieldsProps {
  row: ModelRow
  errors: RowErrors | undefined
  onChange: (row: ModelRow) => void
  onRemove: () => void
}

/** One model and its GPUs. Only the first row shows the labels. */
function ModelRowFields({ row, errors, onChange, onRemove }: ModelRowFieldsProps) {
  const title = row.name.trim() || 'a new model'
  return (
    <li className="group flex items-start gap-2 not-first:[&_label]:sr-only">
      <IdField
        label="Model"
        autoComplete="off"
        className="flex-1"
        value={row.name}
        error={errors?.name}
        onChange={(name) => onChange({ ...row, name })}
      />
      <NumberField
        label="GPUs"
        aria-label={`GPUs for ${title}`}
        className="w-28"
        value={row.need}
        error={errors?.need}
        onChange={(need) => onChange({ ...row, need })}
      />
      <IconButton
        icon={Trash2}
        variant="danger"
        size="lg"
        label={`Remove ${title}`}
        className="mt-1 group-first:mt-6"
        onClick={onRemove}
      />
    </li>
  )
}

/** The table while it is edited. As in other forms, errors appear after the first submit. */
function useModelTable(table: ModelTable) {
  const { mutateAsync } = useMutation(replaceModels)
  const [defaultNeed, setDefaultNeed] = useState(String(table.default_requirement))
  const [rows, setRows] = useState(() => toModelRows(table))
  const [submitted, setSubmitted] = useState(false)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState<string | null>(null)
  // The table may change while the reader is loaded.
  const latest = useRef({ defaultNeed, rows })
  useEffect(() => {
    latest.current = { defaultNeed, rows }
  }, [defaultNeed, rows])
  const shown = submitted ? reader.current()?.readModelRows(defaultNeed, rows) : undefined

  const save = async () => {
    setSaving(true)
    setError(null)
    try {
      const { readModelRows } = await loadPart(reader.load)
      setSubmitted(true)
      const read = readModelRows(latest.current.defaultNeed, latest.current.rows)
      if (!read.ok) return
      await mutateAsync(read.table)
      toast.success('Models saved')
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : 'The request failed. Try again.')
    } finally {
      setSaving(false)
    }
  }
  return {
    defaultNeed,
    setDefaultNeed,
    rows,
    errors: shown?.ok === false ? shown : undefined,
    error,
    submitting: saving,
    props: {
      method: 'post',
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        if (!saving) void save()
      },
    } as const,
    add: () => setRows([...rows, { id: nextId(rows), name: '', need: '1' }]),
    change: (row: ModelRow) => setRows(rows.map((old) => (old.id === row.id ? row : old))),
    remove: (id: number) => setRows(rows.filter((row) => row.id !== id)),
    replace: (pasted: ModelTable) => {
      setDefaultNeed(String(pasted.default_requirement))
      const first = nextId(rows)
      // New ids, so that no new row keeps the state of an old one.
      setRows(toModelRows(pasted).map((row) => ({ ...row, id: first + row.id })))
    },
  }
}

function nextId(rows: readonly ModelRow[]): number {
  return Math.max(-1, ...rows.map(({ id }) => id)) + 1
}
