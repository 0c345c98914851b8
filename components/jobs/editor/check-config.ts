import { parseConfig } from '@/lib/contract/config/config'
import type { FieldError } from '@/lib/contract/errors'

/** The mistakes in a config's text, as the server would find them. */
export function checkConfig(text: string): readonly FieldError[] {
  const result = parseConfig(text)
  return result.ok ? noMistakes : result.errors
}

/** Always the same, so that nothing is drawn anew for it. */
const noMistakes: readonly FieldError[] = []
