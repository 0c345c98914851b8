import { expect } from '@playwright/test'
import { dropFiles, expectStatus, outputOf, submitDraft } from './job-page'
import { expectUsable } from './pages/usable'
import { waitAtBarrier } from './program-barrier'
import { createSlurmUser, occupyAll, test } from './system/slurm-system'
import type { TestUser } from './test-users'
import { configText, sendParts, uploadParts } from './uploads'

/** gpuq on a real Slurm, by the upload and in the browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createSlurmUser()
})

test('an upload is answered with its result, and a config that Slurm cannot follow with the reason', async () => {
  const config = configText({ gpu_count: 2, gpu_model: 'A100' })
  const parts = uploadParts('import json\nprint(json.dumps({"loss": 0.5}))', config)
  const answer = await sendParts(person, parts, { query: '' })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    results: [{ loss: 0.5 }],
  })
  const refused = await sendParts(person, uploadParts('1', configText({ gpu_memory_gb: 16 })))
  expect(refused.status).toBe(422)
  expect(JSON.parse(refused.text)).toMatchObject({
    errors: [{ path: 'gpu_memory_gb', message: expect.stringContaining('choose a model') }],
  })
  const tooLarge = await sendParts(person, uploadParts('1', configText({ memory_gb: 30 })))
  expect(tooLarge.status).toBe(422)
  expect(JSON.parse(tooLarge.text)).toMatchObject({
    errors: [{ path: 'memory_gb', message: expect.stringContaining('no node has more') }],
  })
})

test('in the browser: sign in, submit, see why Slurm lets the job wait and until when, watch the output', async ({
  page,
}) => {
  const blocker = await occupyAll(person)
  // A toast that fades has too little contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/submit')
  await page.getByLabel('E-mail or user id').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/submit$/)
  await test.step('the form offers only what Slurm can do', async () => {
    await page.locator('summary').filter({ hasText: 'Resources' }).click()
    await expect(page.getByLabel('GPU model')).toBeVisible()
    for (const label of ['GPU memory', 'GPU fraction', 'Allowed GPUs'])
      await expect(page.getByLabel(label)).toHaveCount(0)
  })
  const code = `print("hello from Slurm", flush=True)\n${waitAtBarrier}`
  await dropFiles(page, [
    { name: 'solution.py', text: code },
    { name: 'config.yaml', text: configText({ name: 'waits in Slurm', gpu_count: 1, max_time: 3600 }) },
  ])
  await expect(page.getByText('Ready to submit')).toBeVisible()
  const id = await submitDraft(page)
  await test.step('it waits', async () => {
    await expectStatus(page, 'Pending')
    await expect(page.getByText('are not free', { exact: false }).first()).toBeVisible()
    await expect(page.getByText('expected by Slurm to start')).toBeVisible()
    await expectUsable(page, 'a job that waits in Slurm')
  })
  await person.client.jobs.cancel(blocker)
  await expect(outputOf(page)).toContainText('hello from Slurm')
  await expectStatus(page, 'Running')
  await page.goto('/cluster')
  await expect(page.getByRole('table', { name: 'Slurm nodes' }).getByRole('row')).toHaveCount(3)
  await expectUsable(page, 'the cluster page')
  await page.goto(`/jobs/${id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel job' }).click()
  await expectStatus(page, 'Cancelled')
})
