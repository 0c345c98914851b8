import { expect } from '@playwright/test'
import { type S3Server, startS3Server } from '@/lib/storage/testing/s3-server'
import { test } from './browser-test'
import { signIn } from './sign-in'
import { adminClient, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** The pages about buckets, with a local S3 server. `multihost-document.server.test.ts` tests the command line. */

let s3: S3Server
let person: TestUser
/** The name of the registered bucket. */
let research: string
let registration: { bucket: string; endpoint: string; access_key_id: string; secret_access_key: string }

test.beforeAll(async () => {
  s3 = await startS3Server({ complete: true })
  person = await createUser({ name: 'stores', limits: noLimits })
  research = `bucket-of-${person.handle}`
  const { bucket, endpoint = '', credentials } = s3.options
  registration = {
    bucket,
    endpoint,
    access_key_id: credentials?.accessKeyId ?? '',
    secret_access_key: credentials?.secretAccessKey ?? '',
  }
  await adminClient().buckets.create({ name: research, ...registration })
  await person.client.projects.create({ project_id: 'thesis' })
  const [project] = (await person.client.projects.list()).items
  await adminClient().projects.update(project?.id ?? '', { bucket: research })
})
test.afterAll(() => s3.stop())

test("a job's page shows the output and the address of the results in the bucket", async ({
  page,
  context,
}) => {
  const config = configText({ project_id: 'thesis' })
  const id = await submit(person, 'print("a line of the log")', config, { wait: true })
  await expect.poll(async () => (await person.client.jobs.get(id)).bucket?.state).toBe('stored')
  await signIn(context, person)
  await page.goto(`/jobs/${id}`)
  await expect(page.getByText(`s3://${registration.bucket}/gpuq/${id}`)).toBeVisible()
  await expect(page.getByText('stored', { exact: true })).toBeVisible()
  await expect(page.getByText('a line of the log').first()).toBeVisible()
})

test('an admin registers and deletes a bucket on the page of the buckets', async ({
  page,
  context,
  watch,
}) => {
  // There is no bucket with the first name.
  watch.tolerate(/status of 422/)
  await signIn(context, await createUser({ name: 'admin', role: 'admin' }))
  await page.goto('/admin/buckets')
  const known = page.getByRole('row', { name: new RegExp(research) })
  await expect(known).toContainText(`${person.handle}/thesis`)
  const second = `second-${person.handle}`
  await page.getByRole('button', { name: 'New bucket' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(second)
  await dialog.getByLabel('Endpoint').fill(registration.endpoint)
  await dialog.getByLabel('Bucket', { exact: true }).fill('missing')
  await dialog.getByLabel('Access key').fill(registration.access_key_id)
  await dialog.getByLabel('Secret key').fill(registration.secret_access_key)
  await dialog.getByRole('button', { name: 'Register' }).click()
  await expect(dialog.getByText(/There is no bucket "missing"/)).toBeVisible()
  await dialog.getByLabel('Bucket', { exact: true }).fill(registration.bucket)
  await dialog.getByRole('button', { name: 'Register' }).click()
  const added = page.getByRole('row', { name: new RegExp(second) })
  await expect(added).toBeVisible()
  await page.getByRole('button', { name: `Delete ${second}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect
    .poll(async () => (await adminClient().buckets.list()).map(({ name }) => name))
    .not.toContain(second)
  await expect(known).toBeVisible()
  await expect(added).toBeHidden()
})
