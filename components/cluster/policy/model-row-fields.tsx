'use client'

import { Trash2 } from 'lucide-react'
import { Field } from '../../ui/field'
import { IconButton } from '../../ui/icon-button'
import { Input } from '../../ui/input'
import type { ModelRow, RowErrors } from './model-rows'

interface ModelRowFieldsProps {
  row: ModelRow
  errors: RowErrors | undefined
  onChange: (row: ModelRow) => void
  onRemove: () => void
}

/** One model and its need. What the columns are called is seen above the first one only. */
export function ModelRowFields({ row, errors, onChange, onRemove }: ModelRowFieldsProps) {
  const called = row.name.trim() || 'a new model'
  return (
    <li className="group flex items-start gap-2 not-first:[&_label]:sr-only">
      <Field label="Model" error={errors?.name} className="flex-1">
        <Input
          mono
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          value={row.name}
          onChange={(event) => onChange({ ...row, name: event.target.value })}
        />
      </Field>
      <Field label="GPUs" error={errors?.need} className="w-28">
        <Input
          inputMode="decimal"
          autoComplete="off"
          aria-label={`GPUs for ${called}`}
          value={row.need}
          onChange={(event) => onChange({ ...row, need: event.target.value })}
        />
      </Field>
      <IconButton
        icon={Trash2}
        variant="danger"
        size="lg"
        label={`Remove ${called}`}
        className="mt-1 group-first:mt-6"
        onClick={onRemove}
      />
    </li>
  )
}
