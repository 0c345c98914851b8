import type { ConfigField, ConfigKey } from '@/lib/contract/config/schema'
import type { FieldValue } from './config-text'

type FieldKind = 'text' | 'number' | 'list' | 'variables' | 'environment' | 'pool'

export interface FormField {
  label: string
  kind: FieldKind
  /** `main` is always visible; the other groups are collapsed. */
  group: 'main' | 'resources' | 'running' | 'more'
  unit?: string
}

/** The keys that the form asks for. All other keys can be written in the text. */
export const formFields = {
  competition_id: { label: 'Competition', kind: 'text', group: 'main' },
  project_id: { label: 'Project', kind: 'text', group: 'main' },
  expected_time: { label: 'Expected time', kind: 'number', group: 'main', unit: 'seconds' },
  name: { label: 'Name', kind: 'text', group: 'main' },
  environment: { label: 'Environment', kind: 'environment', group: 'main' },
  gpu_count: { label: 'GPUs', kind: 'number', group: 'main' },
  args: { label: 'Arguments', kind: 'list', group: 'running' },
  env: { label: 'Environment variables', kind: 'variables', group: 'running' },
  mounts: { label: 'Mounts', kind: 'variables', group: 'running' },
  max_time: { label: 'Time limit', kind: 'number', group: 'running', unit: 'seconds' },
  max_retries: { label: 'Retries', kind: 'number', group: 'running' },
  retry_on: { label: 'Retry on', kind: 'list', group: 'running' },
  gpu_fraction: { label: 'GPU fraction', kind: 'number', group: 'resources' },
  gpu_memory_gb: { label: 'GPU memory', kind: 'number', group: 'resources', unit: 'GB' },
  gpu_model: { label: 'GPU model', kind: 'text', group: 'resources' },
  cpu: { label: 'CPU', kind: 'number', group: 'resources', unit: 'cores' },
  memory_gb: { label: 'Memory', kind: 'number', group: 'resources', unit: 'GB' },
  instance_count: { label: 'Nodes', kind: 'number', group: 'resources' },
  allowed_gpus: { label: 'Allowed GPUs', kind: 'text', group: 'resources' },
  pool: { label: 'Pool', kind: 'pool', group: 'resources' },
  priority: { label: 'Priority', kind: 'number', group: 'more' },
  depends_on: { label: 'Depends on', kind: 'list', group: 'more' },
  tags: { label: 'Tags', kind: 'list', group: 'more' },
  parent: { label: 'Follows', kind: 'text', group: 'more' },
  hypothesis: { label: 'Hypothesis', kind: 'text', group: 'more' },
  notify_url: { label: 'Notification URL', kind: 'text', group: 'more' },
} as const satisfies Partial<Record<ConfigKey, FormField>>

export type FormKey = keyof typeof formFields
export const formKeys = Object.keys(formFields) as FormKey[]

const withUnderscore = formKeys.filter((key) => key.includes('_'))
const namedKey = new RegExp(`[\`"](?:${formKeys.join('|')})[\`"]|\\b(?:${withUnderscore.join('|')})\\b`, 'g')

/** A message about the config in the words of the form: labels instead of keys. A key that is also a word is one only in quotes. */
export function inFormWords(message: string): string {
  return message
    .replace(/^config_file: /, '')
    .replace(/: write a line such as `\w+: "?([^`"]*)"?`/, ', such as $1')
    .replace(/^\w+(?=: )/, labelOf)
    .replace(namedKey, (found) => labelOf(found.replace(/\W/g, '')))
    .replace(/\bremove this key\b/g, 'clear this field')
}

function labelOf(key: string): string {
  const known = formKeys.find((own) => own === key)
  return known === undefined ? key : formFields[known].label
}

/** The description of each field, and whether a config must have it. The server reads them from the schema, which is large. */
export type FieldInfos = Readonly<Record<FormKey, ConfigField>>

/** The text of a value in its input. */
export function toInputText(value: FieldValue | undefined): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.join('\n')
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, text]) => `${name}=${text}`)
    .join('\n')
}

/** The value of an input's text; undefined if it is empty, which removes the key. */
export function fromInputText(draft: string, kind: FieldKind): FieldValue | undefined {
  const lines = draft.split('\n').filter((line) => line.trim() !== '')
  switch (kind) {
    case 'list':
      return lines.length === 0 ? undefined : lines
    case 'variables':
      return lines.length === 0 ? undefined : Object.fromEntries(lines.map(splitVariable))
    case 'number':
      // Text that is not a number is kept: the check reports it.
      return /^-?\d{1,15}(\.\d{1,9})?$/.test(draft.trim()) ? Number(draft) : draft.trim() || undefined
    case 'text':
    case 'environment':
    case 'pool':
      return draft === '' ? undefined : draft
    default:
      return kind satisfies never
  }
}

function splitVariable(line: string): [name: string, value: string] {
  const at = line.indexOf('=')
  return at === -1 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)]
}
