/** A problem and its position. Lines and columns count from 1. */
export interface Problem {
  line: number
  column?: number | undefined
  /** A warning does not prevent the submission. Without it, the problem is an error. */
  severity?: 'warning' | undefined
  message: string
}

export function isWarning({ severity }: Problem): boolean {
  return severity === 'warning'
}
