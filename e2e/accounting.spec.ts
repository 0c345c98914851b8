import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { storedData } from './stored-data'
import { createUser, type TestUser } from './test-users'

/** Stores three months of use of two projects of the user, as the leader counts it. */
async function storeUse({ client, handle }: TestUser): Promise<void> {
  await client.projects.create({ project_id: 'resnet' })
  await client.projects.create({ project_id: 'llama' })
  const { pool } = storedData()
  await pool.query(
    'INSERT INTO accounting_state (counted_until) VALUES (current_date) ON CONFLICT DO NOTHING',
  )
  await pool.query(
    `INSERT INTO accounting_days (day, user_id, project_id, competition_id, completed, failed, cancelled, gpu_seconds,
                                  measured_gpu_seconds, used_gpu_seconds, cpu_seconds, waits)
     SELECT current_date - n, u.id, p.id, 'cifar10', 20, 2, 1, hours * 3600, hours * 3600,
            hours * 3600 * CASE p.slug WHEN 'llama' THEN 0.9 ELSE 0.35 END, 7200, ARRAY[3, 40, 900]
       FROM users u JOIN projects p ON p.owner_id = u.id, generate_series(1, 80) n,
            LATERAL (SELECT 20 + (n * 7 % 30) + CASE p.slug WHEN 'llama' THEN 0 ELSE 50 END AS hours) h
      WHERE u.handle = $1`,
    [handle],
  )
}

test('GPU hours by week and by project, sorted with the keyboard, and as CSV', async ({ page, context }) => {
  const user = await createUser({ name: 'accounts' })
  await signIn(context, user)
  await page.goto('/accounting')
  await expect(page.getByText('No jobs in this range')).toBeVisible()
  await storeUse(user)

  await page.goto('/accounting')
  await expect(page.getByRole('table', { name: 'Use by user' }).getByRole('row')).toHaveCount(2)
  await page.getByRole('radio', { name: 'Project' }).click()
  const table = page.getByRole('table', { name: 'Use by project' })
  const first = table.getByRole('row').nth(1)
  await expect(first).toContainText('resnet')
  await table.getByRole('button', { name: 'Efficiency' }).focus()
  await page.keyboard.press('Enter')
  await expect(first).toContainText('llama')
  await expect(first).toContainText('90 %')
  await expect(page.getByRole('table', { name: 'GPU hours by week' }).getByRole('row')).not.toHaveCount(2)
  expect(new URL(page.url()).searchParams.get('by')).toBe('project')

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^gpuq-project-.*\.csv$/)

  await expectUsable(page, 'the use by project')

  await table.getByRole('link', { name: `${user.handle}/llama` }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'llama' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Use by user' })).toContainText(user.handle)
  await expectUsable(page, 'the use of a project')

  // An address that a person changed by hand shows the default range.
  await page.goto('/accounting?by=nothing&from=0000-00-00&to=NaN')
  await expect(page.getByRole('table', { name: 'Use by user' })).toBeVisible()
})
