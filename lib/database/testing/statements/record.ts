import pg from 'pg'
import { vi } from 'vitest'

/** Returns the texts of the statements that are sent while `work` runs. */
export async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return spy.mock.calls.flatMap(([query]: unknown[]) => {
      const text = typeof query === 'string' ? query : (query as pg.QueryConfig).text
      return text ?? []
    })
  } finally {
    spy.mockRestore()
  }
}
