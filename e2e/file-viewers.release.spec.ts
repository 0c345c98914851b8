import { expect } from '@playwright/test'
import { test } from './browser-test'
import { browseLargeTable, writeLargeTable } from './pages/large-table'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'
import { configText, submit } from './uploads'

/** The largest tables that people look at. Browsers cannot lay out that many rows: the page scales how far it scrolls. */

test('a table with a million rows is scrolled, sorted and filtered', async ({ page, context }) => {
  const large = { thousands: 1000, lineMiB: 64 }
  const person = await createUser({ name: 'large-tables', limits: noLimits })
  const id = await submit(person, writeLargeTable(large), configText({}), { wait: true })
  await signIn(context, person)
  await page.goto(`/jobs/${id}?tab=files`)
  await expect(page.getByText('3 files')).toBeVisible()
  await browseLargeTable(page, large)
})
