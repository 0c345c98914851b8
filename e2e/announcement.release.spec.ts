import { expect } from '@playwright/test'
import { test as base } from './browser-test'
import { ownSystemOptions, useOwnSystem } from './own-system'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { startSystem } from './system/start-system'
import { adminClient, createUser } from './test-users'

/** An announcement of an admin, on a system of its own: every user would see it in the other tests. */

const test = base.extend<object, { ownSystem: undefined }>({
  ownSystem: [
    async ({ browserName: _ }, use) => useOwnSystem(await startSystem({ simulatedGpus: 1 }), use),
    ownSystemOptions,
  ],
})

test('an admin publishes an announcement, and each user dismisses it with the keyboard', async ({
  page,
  context,
  watch,
}) => {
  await signIn(context, await createUser({ name: 'herald', role: 'admin' }))
  await page.goto('/admin/announcement')
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByText('Write a text')).toBeVisible()
  const text = 'Maintenance on Friday at 18:00.\nJobs that run then will start again.'
  await page.getByRole('textbox', { name: 'Text' }).fill(text)
  await page.getByLabel('End').fill('2999-01-01T12:00')
  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(page.getByRole('heading', { name: 'Shown now' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('')

  const reader = await watch.openBrowser()
  await signIn(reader.context(), await createUser({ name: 'hears' }))
  const banner = reader.getByRole('region', { name: 'Announcement' })
  await reader.goto('/cluster')
  await expect(banner).toContainText('Jobs that run then will start again.')
  await expectUsable(reader, 'a page with an announcement')
  await banner.getByRole('button', { name: 'Dismiss the announcement' }).focus()
  await reader.keyboard.press('Enter')
  await expect(banner).toHaveCount(0)
  await expect(reader.getByRole('main')).toBeFocused()
  // The server has stored it.
  await expect
    .poll(() => reader.evaluate(async () => (await (await fetch('/api/announcement')).json()).dismissed))
    .toBe(true)
  expect(await adminClient().announcements.get()).toMatchObject({ dismissed: false })
  await reader.goto('/jobs')
  await expect(reader.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible()
  await expect(banner).toHaveCount(0)

  await page.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('heading', { name: 'Shown now' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Announcement' })).toHaveCount(0)
})
