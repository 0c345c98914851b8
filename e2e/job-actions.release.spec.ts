import { expect } from '@playwright/test'
import { test } from './browser-test'
import { arriveAtJob, editorOf, expectStatus, outputOf, rewrite, submitDraft } from './job-page'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText } from './uploads'

/** What `job-actions.spec.ts` shows for a program, for a command. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'actions', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})

test('a command job can be run again unchanged, and again with edits', async ({ page }) => {
  const command = 'echo "the first" && python -c "print(6 * 7)"'
  const submitted = await person.client.jobs.submit({ config: configText({ command, name: 'a line' }) })
  const first = submitted.job_id
  await page.goto(`/jobs/${first}`)
  await expectStatus(page, 'Completed')
  const second = await test.step('again', async () => {
    await page.getByRole('button', { name: 'Run again' }).click()
    const id = await arriveAtJob(page, first)
    await expectStatus(page, 'Completed')
    await expect(outputOf(page)).toContainText('the first')
    return id
  })
  await test.step('edited', async () => {
    await page.getByRole('link', { name: 'Edit and run again' }).click()
    await expect(editorOf(page, 'command')).toContainText('the first')
    await rewrite(page, 'command', 'echo "the second" # it\'s "quoted"')
    const id = await submitDraft(page)
    expect([first, second]).not.toContain(id)
    await expectStatus(page, 'Completed')
    await expect(outputOf(page)).toContainText('the second')
    expect(await person.client.jobs.get(id)).toMatchObject({
      name: 'a line',
      command: 'echo "the second" # it\'s "quoted"',
    })
  })
})
