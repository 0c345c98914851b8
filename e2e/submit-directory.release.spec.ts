import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { buildZip } from '@/lib/archives/unpack/testing/build-archive'
import { test } from './browser-test'
import { dropPaths, editorOf, outputOf, submitDraft } from './job-page'
import { directoryOf, filesOf } from './pages/directory-panel'
import { largeBytes, largeProject, writeProject } from './project-folder'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText } from './uploads'

/** What `directory-panel.test.tsx` and `archives.db.test.ts` show for the panel and the server, in a browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'directories', limits: noLimits })
})
test.beforeEach(({ context }) => signIn(context, person))

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

test('an upload that is cancelled leaves the draft as it was', async ({ page }) => {
  await page.goto('/submit')
  await dropPaths(page, [await writeProject(largeProject())])
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
    expect(await filesOf(person, id)).toEqual(['helper.py', 'main.py', 'run.sh'])
    // The second time, the project has everything.
    expect(bodies).toHaveLength(expected)
  }
})
