import { expect, type Page } from '@playwright/test'
import { test } from './browser-test'
import { waitForHydration } from './hydration'
import { outputOf } from './job-page'
import { signIn } from './sign-in'
import { createUser } from './test-users'
import { fileOf, submit } from './uploads'

/** Tests a page that the user sees and types into before its scripts have loaded. */

/** Opens the page and delays its scripts. Returns a function that releases them. */
async function arriveBeforeScripts(page: Page, path: string): Promise<() => Promise<void>> {
  let letCome = () => {}
  const come = new Promise<void>((resolve) => {
    letCome = resolve
  })
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await come
    await route.continue()
  })
  await page.goto(path, { waitUntil: 'commit' })
  return async () => {
    letCome()
    await waitForHydration(page)
  }
}

test('text typed into a form before hydration is kept', async ({ page }) => {
  const person = await createUser({ name: 'early' })
  const letScriptsCome = await arriveBeforeScripts(page, '/sign-in')
  await page.getByLabel('E-mail or user id').fill(person.handle)
  await page.getByLabel('Password').fill(person.password)
  await expect(page.locator('html[data-hydrated]')).toHaveCount(0)
  await letScriptsCome()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('No jobs yet')).toBeVisible()
})

test('a password submitted before hydration does not appear in any URL', async ({ page }) => {
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  const letScriptsCome = await arriveBeforeScripts(page, '/sign-in')
  await page.getByLabel('E-mail or user id').fill('somebody')
  await page.getByLabel('Password').fill('hush-hush')
  const sent = page.waitForRequest((request) => request.isNavigationRequest())
  await page.getByLabel('Password').press('Enter')
  expect((await sent).method()).toBe('POST')
  await letScriptsCome()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  expect(addresses.join('\n')).not.toContain('hush-hush')
})

test('a job shows its output before hydration, and each line once afterwards', async ({ page, context }) => {
  const person = await createUser({ name: 'early-output' })
  const id = await submit(person, 'print("\\n".join(f"line {n}" for n in range(1, 301)))', undefined, {
    wait: true,
  })
  await fileOf(person, id)
  await signIn(context, person)
  const letScriptsCome = await arriveBeforeScripts(page, `/jobs/${id}`)
  const output = outputOf(page)
  await expect(output.getByText('line 1', { exact: true })).toBeInViewport()
  await letScriptsCome()
  await expect(page.getByText('300 lines')).toHaveCount(2)
  await expect(output.getByText('line 1', { exact: true })).toHaveCount(1)
  await output.press('End')
  await expect(output.getByText('line 300', { exact: true })).toBeInViewport()
})

test('text typed into two config fields before hydration is kept in both', async ({ page, context }) => {
  await signIn(context, await createUser({ name: 'early-config' }))
  const letScriptsCome = await arriveBeforeScripts(page, '/submit')
  await page.getByLabel('Competition').fill('quick')
  await page.getByLabel('Project').fill('brown')
  await letScriptsCome()
  await page.getByLabel('Expected time').fill('60')
  await expect(page.getByLabel('Competition')).toHaveValue('quick')
  await expect(page.getByLabel('Project')).toHaveValue('brown')
})
