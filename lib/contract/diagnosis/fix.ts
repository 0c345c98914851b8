import { idPattern } from '../id-pattern'
import type { Fix } from './diagnosis'

/** A fix as a query parameter of the submit page: `memory_gb:16`. */
export function formatFix({ key, value }: Fix): string {
  return `${key}:${value}`
}

/**
 * Reads what {@link formatFix} wrote; null: it is none. A link can come from anybody, so it can change only these keys, and never what
 * the job runs, except for its shell.
 */
export function parseFix(text: string): Fix | null {
  const [, key, value = ''] = /^(\w+):(.{1,64})$/.exec(text) ?? []
  if (key === 'environment') return idPattern.test(value) ? { key, value } : null
  if (key === 'shell') return value === 'bash' ? { key, value } : null
  if (key !== 'memory_gb' && key !== 'max_time' && key !== 'gpu_count') return null
  return /^\d{1,7}(\.\d{1,3})?$/.test(value) ? { key, value: Number(value) } : null
}
