import { expect } from '@playwright/test'
import { test } from './browser-test'
import { createUser } from './test-users'

test('times follow the server in a browser whose clock is 10 minutes behind', async ({ visit }) => {
  const page = await visit(await createUser({ name: 'late' }))
  await page.clock.install({ time: Date.now() - 600_000 })
  await page.goto('/tokens')
  // The user's token was created a moment ago.
  await expect(page.getByText(/^(?:just now|\d+ (?:s|min) ago)$/).first()).toBeVisible()
  await expect(page.getByText(/^in \d+ min$/)).toHaveCount(0)
})
