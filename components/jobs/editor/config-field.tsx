import { useState } from 'react'
import { Field } from '@/components/ui/field'
import { formatSeconds } from '@/components/ui/format-time'
import { Input } from '@/components/ui/input'
import { Select } from '@/components/ui/select'
import { Textarea } from '@/components/ui/textarea'
import { pools } from '@/lib/contract/config/pools'
import type { ConfigField as FieldInfo } from '@/lib/contract/config/schema'
import { TextWithCode } from '../text-with-code'
import type { FieldReading, FieldValue } from './config-text'
import { type FormField, fromInputText, toInputText } from './form-fields'

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

/** One key of the config as a labelled input. */
export function ConfigField(props: ConfigFieldProps) {
  const { info, field, reading, error, onChange } = props
  const value = reading.kind === 'value' ? reading.value : undefined
  const [text, setText] = useInputText(value, field)
  const other = reading.kind === 'other'
  const change = (next: string) => {
    setText(next)
    onChange(fromInputText(next, field.kind))
  }
  return (
    <Field
      label={field.label}
      aside={field.unit === 'seconds' ? inWords(text) : field.unit}
      hint={other ? 'Edit this value in the YAML.' : asSentence(info.description)}
      error={error && <TextWithCode text={asSentence(error)} />}
      optional={!info.required}
      required={info.required}
    >
      <Control {...props} text={text} disabled={props.disabled || other} onText={change} />
    </Field>
  )
}

interface ControlProps extends ConfigFieldProps {
  text: string
  onText: (text: string) => void
}

/** Radix allows no empty value. No environment or pool can have this name. */
const none = '-'

function Control({ info, field, environments, text, disabled, onText }: ControlProps) {
  const { kind } = field
  const placeholder = toInputText(asFieldValue(info.example)).replaceAll('\n', '  ')
  if (kind === 'pool' || (kind === 'environment' && environments.length > 0)) {
    const known =
      kind === 'pool' ? pools.map((name) => ({ value: name, label: name })) : environments.map(toOption)
    // The YAML may name an unknown option. It is shown, and the check reports it.
    const unknown = text !== '' && !known.some(({ value }) => value === text)
    const options = [{ value: none, label: kind === 'pool' ? 'Any' : 'Default' }, ...known]
    return (
      <Select
        value={text === '' ? none : text}
        onValueChange={(chosen) => onText(chosen === none ? '' : chosen)}
        options={unknown ? [...options, { value: text, label: text }] : options}
        disabled={disabled}
      />
    )
  }
  if (kind === 'list' || kind === 'variables') {
    return (
      <Textarea
        value={text}
        rows={2}
        disabled={disabled}
        placeholder={placeholder}
        spellCheck={false}
        className="field-sizing-content max-h-60 min-h-14 font-mono text-xs"
        onChange={(event) => onText(event.target.value)}
      />
    )
  }
  return (
    <Input
      value={text}
      disabled={disabled}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      mono={kind === 'number'}
      {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
      onChange={(event) => onText(event.target.value)}
    />
  )
}

/**
 * The text of the input while the user types. An empty last line or a trailing space has no effect on the config, but must
 * not disappear while typing. If the YAML has another value, the YAML wins.
 */
function useInputText(value: FieldValue | undefined, field: FormField): [string, (text: string) => void] {
  const [text, setText] = useState(() => toInputText(value))
  const same = toInputText(fromInputText(text, field.kind)) === toInputText(value)
  return [same ? text : toInputText(value), setText]
}

function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function toOption({ name, description }: EnvironmentChoice) {
  return { value: name, label: name, ...(description ? { description } : {}) }
}

function inWords(seconds: string): string {
  const value = Number(seconds)
  return value >= 60 && Number.isFinite(value) ? `seconds = ${formatSeconds(value)}` : 'seconds'
}

function asFieldValue(example: unknown): FieldValue | undefined {
  if (Array.isArray(example)) return example.map(String)
  if (typeof example === 'string' || typeof example === 'number') return example
  if (typeof example !== 'object' || example === null) return undefined
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, String(value)]))
}
