import { expect } from '@playwright/test'
import { test } from './browser-test'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** What `job-series.db.test.ts` and `compare-view.test.tsx` show for the answers and the page, in a browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'metrics', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})

test('10,000 metrics are found by their names', async ({ page }) => {
  const program = `import json
print(json.dumps({"step": 1, **{f"layer.{index}": index for index in range(9_999)}}))
`
  const id = await submit(person, program, configText(), { wait: true })
  await page.goto(`/jobs/${id}?tab=metrics`)
  await expect(page.getByText('9,999 metrics')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show more metrics' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Find metrics' }).fill('layer.9998')
  await expect(page.getByRole('slider', { name: 'layer.9998 over step, 1 value' })).toBeVisible()
  await expect(page.getByText('1 metric', { exact: true })).toBeVisible()
})

test('a comparison says which jobs were not found, and shows the others', async ({ page }) => {
  const own = await submit(person, 'print(1)', configText({ name: 'first' }), { wait: true })
  const stranger = await createUser({ name: 'stranger' })
  const foreign = await submit(stranger, 'print(1)', configText(), { wait: true })
  await page.goto(`/jobs/compare?ids=${own},${foreign},nonsense`)
  await expect(page.getByText(`You have no job with the id ${foreign}`)).toBeVisible()
  await expect(page.getByText('You have no job with the id nonsense')).toBeVisible()
  await expect(page.getByRole('link', { name: 'first' })).toBeVisible()
  await page.goto('/jobs/compare')
  await expect(page.getByText('No jobs to compare')).toBeVisible()
})
