import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectStatus } from './job-page'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, submit, waitingConfig } from './uploads'

/** The command palette by keyboard only, and the status of a job in the tab of the browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'keys', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})
test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('pages, jobs and themes open by keyboard', async ({ page }) => {
  const name = 'from the palette'
  const id = await submit(person, 'print(1)', configText({ name }), { wait: true })
  await page.goto('/settings')
  const box = page.getByRole('combobox', { name: 'Search pages, jobs, groups and actions' })
  await page.keyboard.press('ControlOrMeta+k')
  await expect(box).toBeFocused()
  await expect(page.getByRole('option', { name: new RegExp(name) })).toBeVisible()
  await expectUsable(page, 'the command palette')
  await page.keyboard.press('Escape')
  await expect(box).toBeHidden()

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type(name)
  await expect(page.getByRole('option', { selected: true })).toContainText(name)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/jobs/${id}$`))

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('theme')
  await expect(page.getByRole('option', { selected: true })).toHaveText('Light theme')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveClass(/dark/)

  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('clus')
  await expect(page.getByRole('option', { selected: true })).toContainText('Cluster')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Cluster' })).toBeVisible()

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Command palette')
})

test('the open job can be cancelled by keyboard, and the tab of the browser shows it', async ({ page }) => {
  const id = await submit(person, 'print(1)', `${waitingConfig}name: "too large"\n`)
  await page.goto(`/jobs/${id}`)
  await expect(page).toHaveTitle('Pending: too large · gpuq')
  const icon = () => page.locator('link[rel="icon"]').first().getAttribute('href')
  const pending = await icon()
  expect(pending).toMatch(/^data:image\/svg\+xml,/)
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('cancel')
  await expect(page.getByRole('option', { selected: true })).toHaveText('Cancel this job')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Cancel this job?' })
  await expect(dialog.getByRole('button', { name: 'Keep job' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expectStatus(page, 'Cancelled')
  await expect(page).toHaveTitle('Cancelled: too large · gpuq')
  expect(await icon()).not.toBe(pending)

  await page.keyboard.press('g')
  await page.keyboard.press('j')
  await expect(page).toHaveTitle('Jobs · gpuq')
  await expect.poll(icon).toBe('/icon.svg')
})

test('a user signs out by keyboard', async ({ page }) => {
  await page.goto('/jobs')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('sign out')
  await expect(page.getByRole('option', { selected: true })).toHaveText('Sign out')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
})
