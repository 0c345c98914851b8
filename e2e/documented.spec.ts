import { expect } from '@playwright/test'
import type { JobResult } from '@/lib/contract/jobs'
import { test } from './browser-test'
import { runCommand, runProgram } from './documented/run'
import { signIn } from './sign-in'
import { adminClient, createUser, noLimits, type TestUser } from './test-users'
import { fileOf, submit, waitingConfig } from './uploads'

/**
 * Tests the examples of the upload API in the user guide, with a token that an admin created in the browser.
 */

let researcher: TestUser
let token: string

test.beforeAll(async () => {
  researcher = await createUser({ name: 'your_user_id' })
})

test('an admin creates a token in the browser, which shows it once with a config and a command', async ({
  page,
  context,
}) => {
  const admin = await createUser({ name: 'admin', role: 'admin' })
  await signIn(context, admin)
  await page.goto('/admin/tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('User id').fill(researcher.handle)
  await dialog.getByLabel('Name').fill('handed over')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog).toHaveAccessibleName(`Token for ${researcher.handle}`)
  token = (await dialog.getByRole('region', { name: 'token', exact: true }).textContent()) ?? ''
  expect(token).toMatch(/^gpuq_[0-9A-Za-z]{49}$/)
  await expect(dialog.getByRole('region', { name: 'config' })).toContainText(`token: "${token}"`)
  await expect(dialog.getByRole('region', { name: 'curl command' })).toContainText(`Bearer ${token}`)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('row', { name: /handed over/ })).toContainText(researcher.handle)
  await page.reload()
  await expect(page.getByRole('row', { name: /handed over/ })).toBeVisible()
  expect(await page.content()).not.toContain(token)
})

test('the curl commands of the user guide work with that token', async () => {
  const facts = { token, handle: researcher.handle }
  const result = await runCommand('submit.sh', facts)
  expect(result).toMatchObject({
    status: 'completed',
    stdout: 'mean 2.0\n',
    stderr: '',
    exit_code: 0,
  })
  const { deduplicated, project_note, ...told } = result as JobResult & Record<string, unknown>
  expect(deduplicated).toBe(false)
  expect(project_note).toContain('gpuq created the private project "first-tries" for this job')
  const { job_id: jobId } = told
  const status = await runCommand('status.sh', { ...facts, jobId })
  expect(status).toMatchObject({ job_id: jobId, status: 'completed', node_id: expect.any(Number) })
  for (const time of ['created_at', 'started_at', 'completed_at']) {
    expect(Date.parse((status as Record<string, string>)[time] ?? ''), time).not.toBeNaN()
  }
  // The file is stored a moment after the job's end: an earlier response does not contain its name.
  const file = await fileOf(researcher, jobId)
  expect([null, file]).toContain(told.result_file)
  expect(await runCommand('results.sh', { ...facts, jobId })).toEqual({ ...told, result_file: file })
  expect(await runCommand('jobs.sh', facts)).toMatchObject([
    { job_id: jobId, status: 'completed', competition_id: 'handwriting', project_id: 'first-tries' },
  ])
  const waiting = await submit(researcher, 'print(1)', waitingConfig)
  expect(await runCommand('cancel.sh', { ...facts, jobId: waiting })).toMatchObject({ status: 'cancelled' })
})

test('a Python program prints its result with that token', async () => {
  const printed = await runProgram('submit.py', { token, handle: researcher.handle })
  expect(printed).toMatch(/^[0-9a-f-]{36} completed\nsum 10\n$/)
})

test('the examples with several files run main.py, which imports a module and reads a data file', async () => {
  const person = await createUser({ name: 'several-files', limits: noLimits })
  const facts = { token: person.token, handle: person.handle }
  const zipped = await runCommand('project.sh', facts)
  expect(zipped).toMatchObject({ status: 'completed', stdout: 'total 42\n', stderr: '', exit_code: 0 })
  const single = await runCommand('project-files.sh', facts)
  expect(single).toMatchObject({ status: 'completed', stdout: 'total 42\n' })
  const { archive } = await person.client.jobs.get((zipped as JobResult).job_id)
  expect(archive).toMatchObject({ files: 3 })
  expect(await runProgram('project.py', facts)).toMatch(/^[0-9a-f-]{36} completed\ntotal 42\n$/)
})

test('a second user cannot see the job by page, list or id', async ({ page, context, watch }) => {
  watch.tolerate(/status of 404/)
  const stranger = await createUser({ name: 'stranger' })
  const [job] = (await researcher.client.jobs.list()).items
  await signIn(context, stranger)
  await page.goto('/jobs')
  await expect(page.getByText('No jobs yet')).toBeVisible()
  for (const path of [
    `/jobs/${job?.job_id}`,
    `/jobs/${job?.job_id}?tab=source`,
    '/admin/jobs',
    '/admin/users',
  ]) {
    const answer = await page.goto(path)
    expect(answer?.status(), path).toBe(404)
    await expect(page.getByText('Page not found')).toBeVisible()
    expect(await page.content()).not.toContain('handwriting')
  }
  await page.goto(`/submit?from=${job?.job_id}`)
  expect(await page.content()).not.toContain('import pandas')
  await page.goto('/projects')
  await expect(page.getByText('No projects yet')).toBeVisible()
})

test('the limits match the user guide', async () => {
  const waiting = await submit(researcher, 'print(1)', waitingConfig)
  await expect(submit(researcher, 'print(2)')).rejects.toMatchObject({
    status: 429,
    retryAfter: expect.any(Number),
  })
  await researcher.client.jobs.cancel(waiting)
  await adminClient().users.update(researcher.handle, { limits: noLimits })
  const another = await submit(researcher, 'print(3)', waitingConfig)
  await researcher.client.jobs.cancel(another)
})
