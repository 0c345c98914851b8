import { expect, type Page } from '@playwright/test'
import { test } from './browser-test'
import { waitForHydration } from './hydration'
import { signIn } from './sign-in'
import { createUser } from './test-users'

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
