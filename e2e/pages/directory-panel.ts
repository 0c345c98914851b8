import type { Locator, Page } from '@playwright/test'
import type { TestUser } from '../test-users'

/** The heading of the panel that shows a chosen directory. */
export function directoryOf(page: Page): Locator {
  return page.getByRole('heading', { name: /^Directory/ })
}

/** The paths of the files of a submitted job. */
export async function filesOf({ client }: TestUser, id: string): Promise<string[]> {
  const { files } = await client.jobs.files(id)
  return files?.map(({ path }) => path) ?? []
}
