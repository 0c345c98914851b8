import { expect, type Page } from '@playwright/test'
import { test } from './browser-test'
import { untilLive } from './live-page'
import { makePerson } from './people'
import { signIn } from './sign-in'

/** A page that is seen, and typed into, before its scripts are there. */

/** Goes there and holds its scripts back; returns how to let them come. */
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
    await untilLive(page)
  }
}

test('what was typed into a form before it answered is not lost', async ({ page }) => {
  const person = await makePerson({ name: 'early' })
  const letScriptsCome = await arriveBeforeScripts(page, '/sign-in')
  await page.getByLabel('E-mail or user id').fill(person.handle)
  await page.getByLabel('Password').fill(person.password)
  await expect(page.locator('html[data-hydrated]')).toHaveCount(0)
  await letScriptsCome()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('No jobs yet')).toBeVisible()
})

test('a password that is sent before the form answers stays out of every address', async ({ page }) => {
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

test('what was typed into two fields of a config before they answered is there in both', async ({
  page,
  context,
}) => {
  await signIn(context, await makePerson({ name: 'early-config' }))
  const letScriptsCome = await arriveBeforeScripts(page, '/submit')
  await page.getByLabel('Competition').fill('quick')
  await page.getByLabel('Project').fill('brown')
  await letScriptsCome()
  await page.getByLabel('Expected time').fill('60')
  await expect(page.getByLabel('Competition')).toHaveValue('quick')
  await expect(page.getByLabel('Project')).toHaveValue('brown')
})
