import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './browser-test'
import { waitForHydration } from './hydration'
import { arriveAtJob, dropFiles, editorOf, expectStatus, outputOf, rewrite, submitDraft } from './job-page'
import { signIn } from './sign-in'
import { createUser } from './test-users'
import { configText } from './uploads'

/** Counts the submissions that the page sends. */
function countSubmissions(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/submit')) count++
  })
  return () => count
}

test('errors are shown next to their lines before submitting', async ({ page, context }) => {
  const person = await createUser({ name: 'mistakes' })
  await signIn(context, person)
  const sent = countSubmissions(page)
  await page.goto('/submit')
  await page.getByRole('radio', { name: 'YAML' }).click()
  await rewrite(
    page,
    'config.yaml',
    'competition_id: c\nproject_id: p\nexpected_time: -1\ngpu_cuont: 1\nenvironment: windows\n',
  )
  const problems = page.getByRole('list', { name: 'Problems in config.yaml' }).getByRole('listitem')
  await expect(problems).toHaveText([/^Line 3: expected_time/, /^Line 4: .*gpu_count/, /^Line 5: .*python/])
  await expect(page.locator('.cm-problem-note')).toHaveText([/more than 0/, /gpu_count/, /python/])
  await expect(page.locator('.cm-line.cm-problem-line')).toHaveText([
    /^expected_time/,
    /^gpu_cuont/,
    /^environment/,
  ])

  await rewrite(page, 'solution.py', 'print("mended")')
  await page.getByRole('button', { name: 'Submit job' }).click()
  await expect(page.getByText('3 problems to fix')).toBeVisible()

  await rewrite(page, 'config.yaml', 'competition_id: "c\nproject_id: p\n')
  await expect(problems).toHaveText([/^Line \d: .*quote/])
  await rewrite(
    page,
    'config.yaml',
    `competition_id: c\nproject_id: p\nexpected_time: 60\nenvironment: windows\n`,
  )
  await expect(problems).toHaveText([/^Line 4: .*python/])
  await rewrite(
    page,
    'config.yaml',
    `competition_id: c\nproject_id: p\nexpected_time: 60\nuser_id: somebody\n`,
  )
  await expect(problems).toHaveText([/^Line 4: .*signed in/])
  expect(sent()).toBe(0)

  await rewrite(page, 'config.yaml', configText())
  await expect(page.getByText('Ready to submit')).toBeVisible()
  await submitDraft(page)
  expect(sent()).toBe(1)
})

test('a draft survives a reload, and its token is not stored in the browser', async ({ page, context }) => {
  const person = await createUser({ name: 'draft' })
  await signIn(context, person)
  await page.goto('/submit')
  await dropFiles(page, [{ name: 'solution.py', text: 'print("kept")' }])
  await expect(editorOf(page, 'solution.py')).toContainText('kept')
  await dropFiles(page, [
    { name: 'config.yaml', text: configText({ token: person.token, name: 'kept too' }) },
  ])
  await expect(editorOf(page, 'solution.py')).toContainText('kept')
  // The draft is stored a moment after the last change.
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('kept too')
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(person.token)
  await page.reload()
  await expect(editorOf(page, 'solution.py')).toContainText('print("kept")')
})

/** Presses Tab until the target has the focus, as a keyboard user does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    const { focused, replaced } = await target.evaluate((element) => ({
      focused: element === document.activeElement,
      replaced: !element.isConnected,
    }))
    if (focused) return
    if (!replaced) await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target}`)
}

test('the page works with the keyboard alone', async ({ page }) => {
  const person = await createUser({ name: 'keyboard' })
  const { keyboard } = page
  await test.step('sign in', async () => {
    await page.goto('/sign-in')
    await tabTo(page, page.getByLabel('E-mail or user id'))
    await keyboard.type(person.handle)
    await keyboard.press('Tab')
    await keyboard.type(person.password)
    await keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Jobs' })).toBeVisible()
  })
  await test.step('write the job', async () => {
    await waitForHydration(page)
    await keyboard.press('n')
    await expect(page).toHaveURL(/\/submit$/)
    const code = editorOf(page, 'solution.py')
    await tabTo(page, code)
    await keyboard.type('print("typed")')
    await keyboard.press('Escape')
    await keyboard.press('Tab')
    await expect(code).not.toBeFocused()
    await tabTo(page, page.getByLabel('Competition'))
    await keyboard.type('quick')
    await tabTo(page, page.getByLabel('Project'))
    await keyboard.type('brown')
    const time = page.getByLabel(/Expected time/)
    await tabTo(page, time)
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type('30')
    await tabTo(page, page.getByRole('button', { name: 'Submit job' }))
    await keyboard.press('Enter')
  })
  await test.step('look at the result', async () => {
    await arriveAtJob(page)
    await expectStatus(page, 'Completed')
    await tabTo(page, page.getByRole('tab', { name: 'Output' }))
    await keyboard.press('ArrowRight')
    await expect(page.getByText('No results')).toBeVisible()
    await keyboard.press('ArrowLeft')
    await expect(outputOf(page)).toContainText('typed')
    await tabTo(page, page.getByLabel('Search the output'))
    await keyboard.type('type')
    await expect(page.getByText('1 of 1')).toBeVisible()
    await keyboard.press('Escape')
    await expect(outputOf(page)).toBeFocused()
  })
  await test.step('leave', async () => {
    await tabTo(page, page.getByRole('button', { name: new RegExp(person.handle) }))
    await keyboard.press('Enter')
    // Wait for the menu's focus: an earlier key would go elsewhere.
    await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeFocused()
    await keyboard.press('End')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
    await keyboard.press('Enter')
    await expect(page).toHaveURL(/\/sign-in/)
  })
})
