import { expect } from '@playwright/test'
import { test } from './browser-test'
import { dropFiles, outputOf, submitDraft } from './job-page'
import { signIn } from './sign-in'
import { createUser } from './test-users'
import { expectToast } from './toasts'
import { configText, submit, waitingConfig } from './uploads'

/** What `submit-view.test.tsx` shows for the form, in a browser. */

test('errors of the server are shown as well, and the input is kept', async ({ page, context, watch }) => {
  watch.tolerate(/status of 429/)
  const person = await createUser({ name: 'limited' })
  const waiting = await submit(person, 'print(1)', waitingConfig)
  await signIn(context, person)
  await page.goto('/submit')
  await dropFiles(page, [
    { name: 'solution.py', text: 'print("the second")' },
    { name: 'config.yaml', text: configText() },
  ])
  await expect(page.getByText('Ready to submit')).toBeVisible()
  await page.getByRole('button', { name: 'Submit job' }).click()
  await expect(page.getByText(/You have 1 active job .*your limit is 1/)).toBeVisible()
  await person.client.jobs.cancel(waiting)
  await submitDraft(page)
  await expect(outputOf(page)).toContainText('the second')
})

test('files that cannot be read are refused with a reason', async ({ page, context }) => {
  const person = await createUser({ name: 'files' })
  await signIn(context, person)
  await page.goto('/submit')
  await expectToast(page, 'solution.py is empty.', () => dropFiles(page, [{ name: 'solution.py', text: '' }]))
})
