import { Trash2 } from 'lucide-react'
import { IconButton } from '../../ui/icon-button'
import { TextField } from '../../ui/text-field'
import type { ModelRow, RowErrors } from './model-rows'

interface ModelRowFieldsProps {
  row: ModelRow
  errors: RowErrors | undefined
  onChange: (row: ModelRow) => void
  onRemove: () => void
}

/** One model and its GPUs. Only the first row shows the labels. */
export function ModelRowFields({ row, errors, onChange, onRemove }: ModelRowFieldsProps) {
  const title = row.name.trim() || 'a new model'
  return (
    <li className="group flex items-start gap-2 not-first:[&_label]:sr-only">
      <TextField
        label="Model"
        mono
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        className="flex-1"
        value={row.name}
        error={errors?.name}
        onChange={(name) => onChange({ ...row, name })}
      />
      <TextField
        label="GPUs"
        inputMode="decimal"
        autoComplete="off"
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
