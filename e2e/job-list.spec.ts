import { expect } from '@playwright/test'
import { test } from './browser-test'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit, waitingConfig } from './uploads'

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'lists', limits: noLimits })
  await submit(person, 'print(1)', configText({ competition_id: 'cifar', name: 'done' }), { wait: true })
  const cancelled = await submit(person, 'print(1)', `${waitingConfig}name: cancelled one\n`)
  await person.client.jobs.cancel(cancelled)
  for (let i = 0; i < 60; i++) await submit(person, 'print(1)', `${waitingConfig}name: waiting ${i}\n`)
})
test.afterAll(async () => {
  await cancelAll(person)
})
test('filters are part of the address and survive a reload', async ({ visit }) => {
  const page = await visit(person)
  await page.goto('/jobs')
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row')
  await expect(rows).toHaveCount(50)
  await page.getByRole('radio', { name: 'Cancelled' }).click()
  await expect(page).toHaveURL(/q=status%3Acancelled/)
  await expect(rows).toHaveText([/cancelled one/])
  await page.reload()
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('radio', { name: 'Cancelled' })).toBeChecked()
  await page.goBack()
  await expect(rows).toHaveCount(50)
  await page.getByRole('combobox', { name: 'Search jobs' }).fill('competition:cifar')
  await expect(page).toHaveURL(/q=competition%3Acifar/)
  await expect(rows).toHaveCount(1)
  await page.reload()
  await expect(rows).toHaveText([/done/])
  await expect(page.getByRole('combobox', { name: 'Search jobs' })).toHaveValue('competition:cifar')
  await page.getByRole('radio', { name: 'Failed' }).click()
  await expect(page.getByText('No matching jobs')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(rows).toHaveCount(50)
  await expect(page).toHaveURL(/\/jobs$/)
})

test('older jobs are on the next page, which links back', async ({ visit }) => {
  const page = await visit(person)
  await page.goto('/jobs')
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row')
  await expect(rows.first()).toContainText('waiting 59')
  const pages = page.getByRole('navigation', { name: 'Jobs' })
  await pages.getByRole('link', { name: /Older|Next/ }).click()
  await expect(rows).toHaveCount(12)
  await expect(rows.last()).toContainText('done')
  await page.reload()
  await expect(rows).toHaveCount(12)
  await pages.getByRole('link', { name: /Newer|Previous/ }).click()
  await expect(rows.first()).toContainText('waiting 59')
})

test('at 1280 px the status is complete, and the names have more space than it', async ({ visit }) => {
  const page = await visit(person)
  const id = await submit(person, 'raise SystemExit(3)', configText({ name: 'fails' }), { wait: true })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/jobs?q=fails')
  const row = page.getByRole('row', { name: /fails/ }).filter({ has: page.locator(`#job-${id}`) })
  const reason = row.getByText('exit 3', { exact: true })
  await expect(reason).toBeVisible()
  expect(await reason.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  const widthOf = async (name: string) =>
    (await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0
  const status = await widthOf('Status')
  expect(status).toBe(120)
  for (const name of ['Competition', 'Project']) expect(await widthOf(name)).toBeGreaterThan(status)
})

test('the list updates when a job changes', async ({ visit }) => {
  const page = await visit(person)
  const id = await submit(person, 'print(1)', `${waitingConfig}name: watched\n`)
  // The search keeps the row on the first page: the list shows active jobs first.
  await page.goto('/jobs?q=watched')
  const row = page.getByRole('row', { name: /watched/ })
  await expect(row).toContainText('Pending')
  await person.client.jobs.cancel(id)
  await expect(row).toContainText('Cancelled')
})
