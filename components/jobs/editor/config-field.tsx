'use client'

import { useState } from 'react'
import { Field } from '@/components/ui/field'
import { formatDuration } from '@/components/ui/format-time'
import { Input } from '@/components/ui/input'
import { Select } from '@/components/ui/select'
import { Textarea } from '@/components/ui/textarea'
import { type ConfigField as FieldInfo, pools } from '@/lib/contract/config/schema'
import type { FieldReading, FieldValue } from './config-text'
import { type FormField, fromDraft, toDraft } from './form-fields'

export interface EnvironmentChoice {
  name: string
  description?: string | null
}

interface ConfigFieldProps {
  info: FieldInfo
  field: FormField
  reading: FieldReading
  error: string | undefined
  environments: readonly EnvironmentChoice[]
  disabled: boolean
  onChange: (value: FieldValue | undefined) => void
}

/** One key of the config as a labelled box. */
export function ConfigField(props: ConfigFieldProps) {
  const { info, field, reading, error, onChange } = props
  const value = reading.kind === 'value' ? reading.value : undefined
  const [draft, setDraft] = useDraft(value, field)
  const other = reading.kind === 'other'
  const change = (next: string) => {
    setDraft(next)
    onChange(fromDraft(next, field.kind))
  }
  return (
    <Field
      label={field.label}
      aside={field.unit === 'seconds' ? inWords(draft) : field.unit}
      hint={other ? 'Written in a way that only the YAML can show.' : asSentence(info.description)}
      error={error && asSentence(error)}
      optional={!info.required}
      required={info.required}
    >
      <Control {...props} draft={draft} disabled={props.disabled || other} onDraft={change} />
    </Field>
  )
}

interface ControlProps extends ConfigFieldProps {
  draft: string
  onDraft: (draft: string) => void
}

/** Radix knows no empty choice; this is no name that an environment or a pool could have. */
const none = '-'

function Control({ info, field, environments, draft, disabled, onDraft }: ControlProps) {
  const { kind } = field
  const placeholder = info.required
    ? ''
    : String(toDraft(asFieldValue(info.example)))
        .split('\n')
        .join('  ')
  if (kind === 'pool' || (kind === 'environment' && environments.length > 0)) {
    const known =
      kind === 'pool' ? pools.map((name) => ({ value: name, label: name })) : environments.map(toOption)
    // What the text names may not exist: it is shown all the same, and the check says so.
    const unknown = draft !== '' && !known.some(({ value }) => value === draft)
    const options = [{ value: none, label: kind === 'pool' ? 'Any' : 'Default' }, ...known]
    return (
      <Select
        value={draft === '' ? none : draft}
        onValueChange={(chosen) => onDraft(chosen === none ? '' : chosen)}
        options={unknown ? [...options, { value: draft, label: draft }] : options}
        disabled={disabled}
      />
    )
  }
  if (kind === 'list' || kind === 'variables') {
    return (
      <Textarea
        value={draft}
        rows={2}
        disabled={disabled}
        placeholder={placeholder}
        spellCheck={false}
        className="field-sizing-content max-h-60 min-h-14 font-mono text-xs"
        onChange={(event) => onDraft(event.target.value)}
      />
    )
  }
  return (
    <Input
      value={draft}
      disabled={disabled}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      mono={kind === 'number'}
      {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
      onChange={(event) => onDraft(event.target.value)}
    />
  )
}

/**
 * What stands in the box while someone types: an empty last line or a trailing space means nothing to the config, and
 * must not vanish under the fingers. When the text says something else, the text is right.
 */
function useDraft(value: FieldValue | undefined, field: FormField): [string, (draft: string) => void] {
  const [draft, setDraft] = useState(() => toDraft(value))
  const same = toDraft(fromDraft(draft, field.kind)) === toDraft(value)
  return [same ? draft : toDraft(value), setDraft]
}

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function toOption({ name, description }: EnvironmentChoice) {
  return { value: name, label: name, ...(description ? { description } : {}) }
}

function inWords(seconds: string): string {
  const value = Number(seconds)
  return value >= 60 && Number.isFinite(value) ? `seconds = ${formatDuration(value * 1000)}` : 'seconds'
}

function asFieldValue(example: unknown): FieldValue | undefined {
  if (Array.isArray(example)) return example.map(String)
  if (typeof example === 'string' || typeof example === 'number') return example
  if (typeof example !== 'object' || example === null) return undefined
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, String(value)]))
}
