import { expect } from '@playwright/test'
import { test } from './browser-test'
import { CountingProxy } from './counting-proxy'
import { dropPaths, outputOf, rewrite, submitDraft } from './job-page'
import { directoryOf, filesOf } from './pages/directory-panel'
import { expectFits } from './pages/usable'
import { largeBytes, largeProject, project, writeProject } from './project-folder'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'

/** Whole directories on the submit page. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'directories', limits: noLimits })
})
test.beforeEach(({ context }) => signIn(context, person))

test('a dropped folder runs with an edited file, and without what its rules exclude', async ({ page }) => {
  await page.goto('/submit')
  await dropPaths(page, [await writeProject()])
  await expect(directoryOf(page)).toHaveText('Directory project')
  await page.getByText('4 paths not uploaded').click()
  const excluded = page.getByRole('list', { name: 'Not uploaded' }).getByRole('listitem')
  await expect(excluded).toHaveText([
    /^config.yaml.*config of the job/,
    /^\.git\/.*default rule/,
    /^venv\/.*\.gitignore, line 3: venv\//,
    /^weights\.ckpt.*\.gitignore, line 2: \*\.ckpt \(293 KiB\)/,
  ])
  await page.getByRole('button', { name: /^src/ }).click()
  await page.getByRole('button', { name: 'Edit src/model.py' }).click()
  await rewrite(page, 'src/model.py', 'answer = 43\n')
  const id = await submitDraft(page)
  await expect(outputOf(page)).toContainText('answer 43')
  expect(await filesOf(person, id)).toEqual(['.gitignore', 'data/numbers.csv', 'main.py', 'src/model.py'])
  await page.getByRole('link', { name: 'Edit and run again' }).click()
  await expect(page.getByText('The job gets the directory of an earlier job')).toBeVisible()
  await submitDraft(page)
  await expect(outputOf(page)).toContainText('answer 43')
})

test('an upload continues with the missing files after its connection broke', async ({ page, watch }) => {
  watch.tolerate(/ERR_\w+.*\/api\/archives/)
  const proxy = await CountingProxy.open(theSystem().url)
  try {
    let released = false
    // The page waits until this test has seen that it says so.
    await page.route('**/api/archives', (route) =>
      proxy.cuts > 0 && !released ? route.abort('connectionfailed') : route.continue(),
    )
    await page.goto(`${proxy.url}/submit`)
    await dropPaths(page, [await writeProject(largeProject())])
    await expect(page.getByText('Ready to submit')).toBeVisible()
    proxy.cutAfter = 2 * largeBytes
    const sent = await proxy.count(async () => {
      await page.getByRole('button', { name: 'Submit job' }).click()
      await expect(page.getByText('The connection is broken. The upload continues')).toBeVisible()
      await expect(page.getByRole('progressbar', { name: 'Upload' })).toBeVisible()
      released = true
      await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/)
    })
    expect(proxy.cuts).toBe(1)
    // At least one file arrived before, and was not sent again.
    expect(sent).toBeLessThan(5 * largeBytes)
    await expect(outputOf(page)).toContainText(String(3 * largeBytes))
  } finally {
    proxy.close()
  }
})

test('a directory with long names fits the page', async ({ page }) => {
  await page.goto('/submit')
  const long = 'W'.repeat(120)
  await dropPaths(page, [
    await writeProject({ ...project, [`${long}/${long}.py`]: '', [`${long}.ckpt`]: 'x' }),
  ])
  await expect(directoryOf(page)).toBeVisible()
  await page.getByText('5 paths not uploaded').click()
  await page.getByRole('button', { name: new RegExp(`^${long}`) }).click()
  await page.getByRole('button', { name: /^Edit W+/ }).click()
  await expect(page.getByRole('textbox', { name: /^W+\/W+/ })).toBeVisible()
  await expectFits(page, 'a directory with long names')
})
