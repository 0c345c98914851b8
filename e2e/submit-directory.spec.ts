import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { buildZip } from '@/lib/archives/unpack/testing/build-archive'
import { expectNoSideScroll, test } from './browser-test'
import { CountingProxy } from './counting-proxy'
import { dropPaths, editorOf, outputOf, rewrite, submitDraft } from './job-page'
import { project, writeProject } from './project-folder'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText } from './uploads'

/** Whole directories on the submit page. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'directories', limits: noLimits })
})
test.beforeEach(({ context }) => signIn(context, person))

const directoryOf = (page: Page) => page.getByRole('heading', { name: /^Directory/ })

async function filesOf(id: string): Promise<string[]> {
  const { files } = await person.client.jobs.files(id)
  return files?.map(({ path }) => path) ?? []
}

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
  expect(await filesOf(id)).toEqual(['.gitignore', 'data/numbers.csv', 'main.py', 'src/model.py'])
  await page.getByRole('link', { name: 'Edit and run again' }).click()
  await expect(page.getByText('The job gets the directory of an earlier job')).toBeVisible()
  await submitDraft(page)
  await expect(outputOf(page)).toContainText('answer 43')
})

test('a chosen folder runs the file that the user selects', async ({ page }) => {
  await page.goto('/submit')
  const folder = await writeProject({
    'src/train.py': 'print("trained")\n',
    'config.yml': configText(),
  })
  await page.getByLabel('Folder', { exact: true }).setInputFiles(folder)
  await expect(directoryOf(page)).toBeVisible()
  await expect(page.getByText('1 problem to fix')).toBeVisible()
  await page.getByRole('combobox', { name: 'File to run' }).click()
  await page.getByRole('option', { name: 'src/train.py' }).click()
  await submitDraft(page)
  await expect(outputOf(page)).toContainText('trained')
})

test('a zip is unpacked, and only content that the project lacks is sent', async ({ page }) => {
  const content = `print("${randomBytes(8).toString('hex')}")\n`
  const packed = buildZip([
    { name: 'project/main.py', content: 'import helper\n' },
    { name: 'project/helper.py', content },
    { name: 'project/config.yaml', content: configText() },
    { name: 'project/run.sh', content: 'true\n', mode: 0o100755 },
  ])
  const zip = join(await writeProject({ 'unused.txt': '' }), 'project.zip')
  await writeFile(zip, packed)
  const bodies: number[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/archives/blobs')) bodies.push(request.postDataBuffer()?.length ?? 0)
  })
  for (const expected of [1, 1]) {
    await page.goto('/submit')
    await dropPaths(page, [zip])
    await expect(directoryOf(page)).toHaveText('Directory project.zip')
    const id = await submitDraft(page)
    await expect(outputOf(page)).toContainText(content.slice(7, 23))
    expect(await filesOf(id)).toEqual(['helper.py', 'main.py', 'run.sh'])
    // The second time, the project has everything.
    expect(bodies).toHaveLength(expected)
  }
})

/** Contents that no project has. Each is sent in a request of its own. */
function largeFiles(): Record<string, string | Buffer> {
  return {
    'main.py':
      'import os\nprint(sum(os.path.getsize(name) for name in os.listdir(".") if name.endswith(".bin")))\n',
    'config.yaml': configText(),
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.bin`, randomBytes(largeBytes)])),
  }
}
const largeBytes = 6 * 1024 * 1024

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
    await dropPaths(page, [await writeProject(largeFiles())])
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

test('an upload that is cancelled leaves the draft as it was', async ({ page }) => {
  await page.goto('/submit')
  await dropPaths(page, [await writeProject(largeFiles())])
  await expect(page.getByText('Ready to submit')).toBeVisible()
  // The server never answers.
  await page.route('**/api/archives/blobs*', () => {})
  await page.getByRole('button', { name: 'Submit job' }).click()
  await expect(page.getByText('Uploading the directory')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel upload' }).click()
  await expect(page.getByText('The upload was cancelled. No job was submitted.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Submit job' })).toBeFocused()
  await expect(page.getByText('Ready to submit')).toBeVisible()
  await expect(directoryOf(page)).toBeVisible()
  await expect(editorOf(page, 'main.py')).toContainText('getsize')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await submitDraft(page)
  await expect(outputOf(page)).toContainText(String(3 * largeBytes))
})

for (const width of [1280, 390]) {
  test(`a directory with long names fits the page at ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
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
    await expectNoSideScroll(page)
  })
}
