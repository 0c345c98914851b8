import { expect } from '@playwright/test'
import { z } from 'zod'
import { test } from './browser-test'
import { expectFits } from './pages/usable'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText } from './uploads'

/** The files that were uploaded with a job, in the tab Source. */

const files = {
  'main.py': 'from src.model import answer\nprint("answer", answer)\n',
  'src/model.py': 'answer = 42\n',
  'data/a-rather-long-name-of-a-table-with-numbers-of-the-first-experiment.csv': '1\n'.repeat(2000),
  '<img src=x>.txt': 'odd',
}

let person: TestUser
let id: string
test.beforeAll(async () => {
  person = await createUser({ name: 'several-files', limits: noLimits })
  const form = new FormData()
  for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path)
  form.append('config_file', new Blob([configText({})]), 'config.yaml')
  const response = await fetch(`${theSystem().url}/api/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}` },
    body: form,
  })
  const job = z.object({ job_id: z.string(), stdout: z.string() }).parse(await response.json())
  expect(job.stdout).toBe('answer 42\n')
  id = job.job_id
})

test('the source shows the uploaded directory', async ({ page, context }) => {
  await signIn(context, person)
  await page.goto(`/jobs/${id}?tab=source`)
  const source = page.getByRole('tabpanel', { name: 'Source' })
  await source.getByRole('button', { name: /^data/ }).click()
  await source.getByRole('button', { name: /^src/ }).click()
  await expect(source.getByText('model.py', { exact: true })).toBeVisible()
  await expect(source.getByText('<img src=x>.txt')).toBeVisible()
  await expectFits(page, 'an uploaded directory')
})

test('a file is downloaded, and the job runs again with the same directory', async ({ page, context }) => {
  await signIn(context, person)
  await page.goto(`/jobs/${id}?tab=source`)
  await page.getByRole('button', { name: /^src/ }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download src/model.py' }).click()
  expect((await downloading).suggestedFilename()).toBe('model.py')
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.waitForURL((url) => /^\/jobs\/[0-9a-f-]+$/.test(url.pathname) && !url.pathname.endsWith(id))
  const again = page.url().split('/').at(-1) ?? ''
  const [first, second] = [await person.client.jobs.get(id), await person.client.jobs.get(again)]
  expect(second.archive).toEqual(first.archive)
})
