import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { test } from './browser-test'
import { arriveAtJob, editorOf, expectStatus, outputOf, rewrite, submitDraft } from './job-page'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { storedData } from './stored-data'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit, waitingConfig } from './uploads'

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'actions', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})

test('a running job can be cancelled on its page and keeps its output', async ({ page }) => {
  const code = 'import time\nprint("under way", flush=True)\ntime.sleep(3600)'
  const id = await submit(person, code, configText(longRunning))
  await page.goto(`/jobs/${id}`)
  await expect(outputOf(page)).toContainText('under way')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Cancel this job?' })
  await dialog.getByRole('button', { name: 'Keep job' }).click()
  await expect(dialog).toBeHidden()
  await expectStatus(page, 'Running')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel job' }).click()
  await expectStatus(page, 'Cancelled')
  await expect(page.getByRole('button', { name: 'Run again' })).toBeVisible()
  await expect(outputOf(page)).toContainText('under way')
  expect(await person.client.jobs.get(id)).toMatchObject({ status: 'cancelled', reason: 'cancelled_by_user' })
})

test('a waiting job shows its reason and can be cancelled on its page', async ({ page }) => {
  const id = await submit(person, 'print(1)', waitingConfig)
  await page.goto(`/jobs/${id}`)
  await expect(page.getByRole('main')).toContainText(
    /No node that is large enough accepts jobs now\. It waits for .*without a worker/,
  )
  await expectStatus(page, 'Pending')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel job' }).click()
  await expectStatus(page, 'Cancelled')
})

test('a job whose node was removed says what fits, and one click replaces it', async ({ page }) => {
  const { pool } = storedData()
  const name = `leaves-${randomUUID().slice(0, 8)}`
  await pool.query(
    `WITH node AS (
       INSERT INTO nodes (id, number, name, status, engine_id, engine_version, lease_id, lease_expires_at, cpu_milli, memory_mib)
       SELECT gen_random_uuid(), max(number) + 1, $1, 'drained', $1, '29.5', gen_random_uuid(), now(), 8000, 16384
         FROM nodes RETURNING id)
     INSERT INTO gpus (id, node_id, index, uuid, model, memory_mib)
     SELECT gen_random_uuid(), node.id, i, $1 || i, absent.model, absent.memory_mib
       FROM node, generate_series(0, 7) i, gpus absent WHERE absent.uuid = 'GPU-absent-0'`,
    [name],
  )
  const id = await submit(person, 'print(1)', configText({ gpu_count: 8, gpu_memory_gb: 1000 }))
  await page.goto(`/jobs/${id}`)
  await expect(page.getByRole('main')).toContainText(`It waits for ${name} (without a worker)`)
  await pool.query(
    `WITH node AS (UPDATE nodes SET forgotten_at = now() WHERE name = $1 RETURNING id)
     UPDATE gpus SET missing = true, forgotten_at = now() FROM node WHERE node_id = node.id`,
    [name],
  )
  await expect(page.getByRole('main')).toContainText(
    'This job cannot start: it asks for 8 GPUs with 1000 GB, and the largest node has 1.',
  )
  await expect(page.getByRole('main')).not.toContainText('in the queue.')
  await expect(page.getByRole('button', { name: 'Use 1 GPU' })).toBeVisible()
  await expectUsable(page, 'a job that cannot start')
  await page.getByRole('button', { name: 'Use 1 GPU' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  const next = page.url().split('/').at(-1) ?? ''
  await expectStatus(page, 'Pending')
  expect(await person.client.jobs.get(id)).toMatchObject({ status: 'cancelled' })
  expect(await person.client.jobs.get(next)).toMatchObject({ status: 'pending', reason: 'node_unavailable' })
  await person.client.jobs.cancel(next, {})
})

test('a job that is begun on the page of another one waits for it, and is cancelled with it', async ({
  page,
}) => {
  const first = await submit(person, 'print(1)', waitingConfig)
  await page.goto(`/jobs/${first}`)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'New job after this one' }).click()
  await expect(page.getByLabel('Depends on')).toHaveValue(first)
  await page.getByRole('radio', { name: 'YAML' }).click()
  await rewrite(page, 'solution.py', 'print(2)')
  await rewrite(page, 'config.yaml', configText({ depends_on: [first] }))
  const second = await submitDraft(page)
  await expect(page.getByRole('main')).toContainText(
    `The job waits for other jobs or groups. Not completed: ${first}.`,
  )
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByRole('link', { name: first })).toHaveAttribute('href', `/jobs/${first}`)
  await person.client.jobs.cancel(first)
  await expectStatus(page, 'Cancelled')
  expect(await person.client.jobs.get(second)).toMatchObject({ reason: 'dependency_failed' })
})

test('a job can be run again unchanged, and again with edits', async ({ page }) => {
  const config = configText({ name: 'first', tags: ['kept'], env: { WORD: 'kept' } })
  const first = await submit(person, 'import os\nprint("it was", os.environ["WORD"])', config, { wait: true })
  await page.goto(`/jobs/${first}`)

  const second = await test.step('again', async () => {
    await page.getByRole('button', { name: 'Run again' }).click()
    const id = await arriveAtJob(page, first)
    await expectStatus(page, 'Completed')
    await expect(outputOf(page)).toContainText('it was kept')
    return id
  })

  await test.step('edited', async () => {
    await page.getByRole('link', { name: 'Edit and run again' }).click()
    await expect(editorOf(page, 'solution.py')).toContainText('it was')
    await rewrite(page, 'solution.py', 'import os\nprint("edited, and", os.environ["WORD"])')
    const id = await submitDraft(page)
    expect([first, second]).not.toContain(id)
    await expectStatus(page, 'Completed')
    await expect(outputOf(page)).toContainText('edited, and kept')
    expect(await person.client.jobs.get(id)).toMatchObject({ name: 'first', tags: ['kept'] })
  })
})

test("a failure is shown as the program's fault, with its traceback", async ({ page }) => {
  const id = await submit(person, 'raise SystemExit(open("/nowhere"))', configText(), { wait: true })
  await page.goto(`/jobs/${id}`)
  await expectStatus(page, 'Failed')
  await expect(outputOf(page)).toContainText('FileNotFoundError')
  await expect(page.getByRole('button', { name: 'Jump to end' })).toHaveCount(0)
  await page.getByRole('radio', { name: 'stdout', exact: true }).click()
  await expect(page.getByText('No output with this filter')).toBeVisible()
})

test('the source is shown without the token, and the details show the node', async ({ page }) => {
  const config = configText({ token: person.token, name: 'with a token' })
  const id = await submit(person, 'print("source")', config, { wait: true })
  await page.goto(`/jobs/${id}?tab=source`)
  await expect(editorOf(page, 'solution.py')).toContainText('print("source")')
  await expect(editorOf(page, 'config.yaml')).toContainText('name: "with a token"')
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Details' })).toContainText(id)
  expect(await page.content()).not.toContain(person.token)
})
