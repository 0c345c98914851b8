import type { Fix } from './diagnosis'

export interface NextStep {
  /** What to change so that the job can succeed. */
  text: string
  /** Null: only the user can make the change. */
  fix: Fix | null
}

/** A step that only the user can take. */
export function only(text: string): NextStep {
  return { text, fix: null }
}
