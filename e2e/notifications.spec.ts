import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { submit, waitingConfig } from './uploads'

/** The notifications of a user: targets, tests, the delivery log and the signing secret. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('a user adds a target, tests it and reads the log', async ({ page, context }) => {
  const person = await createUser({ name: 'notified', limits: noLimits })
  await signIn(context, person)
  await page.goto('/settings')

  // By keyboard alone.
  await page.getByRole('button', { name: 'Add target' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').focus()
  await page.keyboard.type('my server')
  await page.keyboard.press('Tab')
  // This host: gpuq refuses it before it connects.
  await page.keyboard.type('http://127.0.0.1:9/hidden-path')
  const cancelled = dialog.getByRole('checkbox', { name: 'A job was cancelled' })
  await cancelled.focus()
  await page.keyboard.press('Space')
  await expect(cancelled).toBeChecked()
  await expectUsable(page, 'the dialog of a new target')
  await dialog.getByLabel('Name').focus()
  await page.keyboard.press('Enter')
  const targets = page.getByRole('list', { name: 'Targets' })
  await expect(targets).toContainText('A job completed · A job failed · A job was cancelled')
  await expect(targets).toContainText('http://127.0.0.1:9')
  await expect(page.getByText('hidden-path')).toBeHidden()

  await page.getByRole('button', { name: 'Send a test' }).click()
  const log = page.getByRole('table', { name: 'Delivery log' })
  await expect(log).toContainText('The address is on a private network.')
  await page.getByRole('button', { name: 'Deliver test again' }).click()
  await expect(page.getByText('The message is sent again')).toBeVisible()
  await expectUsable(page, 'the settings with a target and its log')

  // An event of a job arrives the same way.
  const job = await submit(person, 'print(1)', waitingConfig)
  await person.client.jobs.cancel(job)
  await expect
    .poll(async () => (await person.client.notifications.deliveries()).items)
    .toContainEqual(expect.objectContaining({ event: 'job.cancelled', job_id: job, state: 'failed' }))
  await page.reload()
  await expect(log).toContainText('A job was cancelled')

  await page.getByRole('button', { name: 'Create secret…' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toContainText(/whsec_\S{44}/)
  await expectUsable(page, 'a new signing secret')
  await dialog.getByRole('button', { name: 'Done, I copied it' }).click()
  await expect(page.getByText(/Your webhooks are signed/)).toBeVisible()

  await page.getByRole('button', { name: 'Delete my server' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText(/No targets yet/)).toBeVisible()
  await cancelAll(person)
})
