import { expect } from '@playwright/test'
import { test } from './browser-test'
import { dropFiles } from './job-page'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { configText } from './uploads'

const program = `
import json, os
rate = float(os.environ["GPUQ_PARAM_LR"])
print(json.dumps({"loss": abs(rate - 0.01), "accuracy": 1 - rate}))
`

test('a sweep is submitted on the page, followed on the page of its group, and left by its members', async ({
  page,
  context,
}) => {
  const user = await createUser({ limits: noLimits })
  await signIn(context, user)
  await page.goto('/groups')
  await expect(page.getByText('No groups yet')).toBeVisible()
  await expectUsable(page, 'no groups')

  await page.goto('/submit')
  const config = configText({
    name: 'rates',
    args: ['--lr', '{lr}'],
    matrix: { lr: [0.1, 0.01, 0.001], seed: { from: 1, to: 2 } },
    objective: { metric: 'loss', mode: 'min' },
    parallel: 3,
  })
  await dropFiles(page, [
    { name: 'solution.py', text: program },
    { name: 'config.yaml', text: config },
  ])
  const preview = page.getByRole('region', { name: 'The group before you submit' })
  await expect(preview).toContainText(/^6 members.* 3 at once/)
  await expect(page.getByText('Ready to submit')).toBeVisible()
  await expectUsable(page, 'a draft of a group')
  await page.getByRole('button', { name: 'Submit group' }).click()

  await expect(page.getByRole('heading', { level: 1, name: 'rates' })).toBeVisible()
  await expect(page.getByText('6 of 6 ended')).toBeVisible()
  const table = page.getByRole('table', { name: 'Members' })
  await expect(table.getByRole('row')).toHaveCount(7)
  await expect(table.getByText('best')).toHaveCount(1)
  await expect(page.getByRole('slider', { name: /^loss by lr/ })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Importance for loss' })).toContainText('lr')
  await expectUsable(page, 'the page of a group')

  await table.getByRole('button', { name: 'loss' }).focus()
  await page.keyboard.press('Enter')
  await expect(table.getByRole('row').nth(1)).toContainText('0.1')
  const grid = page.getByRole('slider', { name: /^Members of the group/ })
  await grid.focus()
  await page.keyboard.press('ArrowRight')
  await expect(grid).toHaveAttribute('aria-valuetext', /^#0: lr 0\.1, seed 1\. Completed, loss 0\.09/)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^gpuq-group-.*\.csv$/)

  await grid.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^Member #5 of/)).toContainText('lr 0.001, seed 2')
  await expectUsable(page, 'the job of a member')
  await page.getByRole('link', { name: 'Previous member' }).click()
  await expect(page.getByText(/^Member #4 of/)).toBeVisible()
  await page.getByRole('link', { name: 'its sweep' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'rates' })).toBeVisible()

  await page.goto('/groups')
  await expect(page.getByRole('table', { name: 'Groups' }).getByRole('row')).toHaveCount(2)
  await expectUsable(page, 'the list of groups')
})

test('a group that runs is named on the list of jobs, and is cancelled on its page', async ({
  page,
  context,
}) => {
  const user = await createUser({ limits: noLimits })
  await signIn(context, user)
  // No node has a GPU of this size, so its members wait.
  const config = configText({
    name: 'waits',
    gpu_count: 1,
    gpu_memory_gb: 1000,
    command: 'echo {index}',
    array: '0-9999%2',
  })
  const { group_id } = await user.client.groups.submit({ config })
  await page.goto('/jobs')
  await page.getByRole('link', { name: 'waits' }).click()
  await expect(page).toHaveURL(new RegExp(group_id))
  // All pages of its members are loaded.
  await expect(page.getByText('10,000 members', { exact: true })).toBeVisible()
  await expectUsable(page, 'a group of 10,000')
  await page.getByRole('button', { name: 'Cancel group' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel group' }).click()
  await expect(page.getByText('10,000 of 10,000 ended')).toBeVisible()
  await cancelAll(user)
})
