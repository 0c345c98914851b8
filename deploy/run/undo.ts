import type { Report } from './report.mjs'

/** What stops something that was started. */
export interface Undo {
  /** Undefined: the step prints no line. */
  title?: string
  work(): Promise<void>
}

/** Stops everything in reverse order. A failure does not keep the rest from being stopped. */
export async function undoAll(undo: Undo[], report: Report): Promise<void> {
  for (const { title, work } of undo.reverse()) {
    await (title ? report.step(title, work) : work()).catch((error: unknown) =>
      report.warn(explainError(error)),
    )
  }
}

/** The message of an error. */
export function explainError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
