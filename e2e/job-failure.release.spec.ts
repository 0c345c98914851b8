import { expect } from '@playwright/test'
import { test } from './browser-test'
import { editorOf } from './job-page'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** What `failure-card.test.tsx` shows for the card, with real failures in a browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'failures', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})

test('a failure in a file of an uploaded directory leads to that file', async ({ page }) => {
  const form = new FormData()
  const config = configText({ entrypoint: 'src/train.py' })
  form.append('config_file', new Blob([config]), 'config.yaml')
  form.append('files', new Blob(['from model import f\nf()\n']), 'src/train.py')
  form.append('files', new Blob(['def f():\n    return {}["key"]\n']), 'src/model.py')
  const answer = await person.client.transport.raw('/api/submit', { method: 'post', body: form })
  const { job_id } = (await answer.json()) as { job_id: string }
  await page.goto(`/jobs/${job_id}`)
  const card = page.getByRole('region', { name: 'Failure' })
  await expect(card).toContainText("KeyError: 'key'")
  await card.getByRole('link', { name: 'src/model.py, line 2' }).click()
  await expect(editorOf(page, 'src/model.py').locator('.cm-linked-line')).toContainText('return {}["key"]')
})

test('a job without enough memory or time says which key to change', async ({ page }) => {
  const hungry = 'data = bytearray(2 * 2**30)\nprint(len(data))'
  const [memory, time] = await Promise.all([
    submit(person, hungry, configText(), { wait: true }),
    submit(person, 'import time\ntime.sleep(3600)', configText({ max_time: 1 }), { wait: true }),
  ])
  const card = page.getByRole('region', { name: 'Failure' })
  await page.goto(`/jobs/${memory}`)
  await expect(card).toContainText(/Set memory_gb to more than 0\.\d, or load less data at a time\./)
  await page.goto(`/jobs/${time}`)
  await expect(card).toContainText('Set max_time to more than 1,')
})
