import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    notes?: Readonly<Record<string, string>>
  }
}

/** Adds facts to the report of a test, such as its seed. `deploy/checks/test-reports.ts` reads them. */
export function reportNotes(
  { task }: Pick<TestContext, 'task'>,
  notes: Readonly<Record<string, string>>,
): void {
  task.meta.notes = notes
}
