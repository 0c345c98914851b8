import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectFits, expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { createUser } from './test-users'

/** The documentation in the app. `appearance.spec.ts` shows that its pages are accessible. */

test('everyone reads the documents and finds a section with the keyboard', async ({ page }) => {
  await page.goto('/docs')
  await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()

  const search = page.getByRole('combobox', { name: 'Search the documentation' })
  await search.focus()
  await page.keyboard.type('mount snap')
  const suggestion = page.getByRole('option', { name: /^Mount snapshots/ })
  await expect(suggestion).toBeVisible()
  await expectUsable(page, 'the suggestions of a search')
  // Without a selected suggestion, Enter opens the page of results.
  await page.keyboard.type('shots')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/search\?q=mount\+snapshots$/)
  // The title changes a moment after the address.
  await expect(page).toHaveTitle(/^Search/)
  const first = page.getByRole('listitem').getByRole('link', { name: 'Mount snapshots' }).first()
  await first.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/docs\/user-guide\/use-the-command-line#mount-snapshots$/)
  await expect(page.getByRole('heading', { name: /^Mount snapshots/ })).toBeInViewport()
  await expectFits(page, 'a section of a document')

  await search.focus()
  await page.keyboard.type('hold a waiting')
  await expect(page.getByRole('option', { name: /^Hold a waiting job/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('option', { selected: true })).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#\w+/)
})

test('a document shows tables, the picture of the theme, and commands with the address', async ({
  page,
  baseURL,
}) => {
  await page.goto('/docs/first-job')
  const picture = page.getByRole('img', { name: /The page of a running job/ })
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(picture).toHaveCount(1)
    await expect(picture).toHaveAttribute('src', `/docs/images/job-${colorScheme}.png`)
    await picture.scrollIntoViewIfNeeded()
    await expect.poll(() => picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(1280)
  }
  await expect(page.getByText(`curl -X POST "${baseURL}/api/submit"`)).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'you see' })).toBeVisible()
  await expectFits(page, 'a document')
})

test('the API reference shows each operation in the chosen language, with the address', async ({
  page,
  baseURL,
}) => {
  await page.goto('/docs/api')
  await expect(page.getByText(`curl '${baseURL}/api/jobs'`)).toBeVisible()
  await page.getByRole('link', { name: /^Queue/ }).click()
  const hold = page.getByRole('region', { name: /^Hold a waiting job/ })
  await expect(hold.getByText(`curl -X PATCH '${baseURL}/api/queue/ID/hold'`)).toBeVisible()
  // A key that arrives while the page replaces its placeholder goes nowhere.
  await expect(async () => {
    await hold.getByRole('radio', { name: 'Python' }).press('Space')
    await expect(hold.getByText(`"${baseURL}/api/queue/ID/hold",`)).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await expectFits(page, 'the operations of a group')
  // The choice applies to the other pages.
  await page.goto('/docs/api/storage')
  await expect(page.getByText('requests.delete(').first()).toBeVisible()
})

test('a link between two files leads to the section, and a file of the source code has no link', async ({
  page,
}) => {
  await page.goto('/docs/first-job')
  await page.getByRole('link', { name: 'find out why your job waits' }).click()
  await expect(page).toHaveURL(/\/docs\/user-guide\/find-out-why-your-job-waits$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Find out why your job waits' })).toBeVisible()
  await page.goto('/docs/scheduling')
  await expect(page.getByText('lib/scheduling/README.md')).toBeVisible()
  await expect(page.getByRole('link', { name: 'the scheduler’s README' })).toHaveCount(0)
})

test('signed-in users open the documentation from the navigation and keep it', async ({ page, context }) => {
  await signIn(context, await createUser({ name: 'reader' }))
  await page.goto('/jobs')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const menu = navigation.getByRole('button', { name: 'Menu' })
  // A narrow window has a menu instead of links.
  const link = navigation.getByRole('link', { name: 'Docs' }).or(page.getByRole('menuitem', { name: 'Docs' }))
  await expect(menu.or(link).first()).toBeVisible()
  if (await menu.isVisible()) await menu.click()
  await link.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Documentation' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveCount(0)
})

test('an address without a document and a search without results say what to do', async ({ page, watch }) => {
  watch.tolerate(/status of 404/)
  const answer = await page.goto('/docs/no-such-document')
  expect(answer?.status()).toBe(404)
  await expect(page.getByText('Page not found')).toBeVisible()
  await page.goto('/docs/search?q=qwertzuiop')
  await expect(page.getByText('Use other words, or only the beginning of a word.')).toBeVisible()
  expect((await page.request.get('/docs/images/none.png')).status()).toBe(404)
})
