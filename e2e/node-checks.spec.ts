import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { nodeReportsSchema } from '@/lib/node-checks/contract'
import { expectNoSideScroll, test } from './browser-test'
import { openCluster } from './cluster-page'
import { runCli } from './run-cli'
import { signIn } from './sign-in'
import { storedData } from './stored-data'
import { createFakeNode } from './system/fake-node'
import { theSystem } from './system/the-system'
import { adminClient, createUser, type TestUser } from './test-users'

let admin: TestUser
test.beforeAll(async () => {
  admin = await createUser({ name: 'doctor', role: 'admin' })
})

test('an admin checks a node again and sees what its worker found', async ({ page, context }) => {
  await signIn(context, admin)
  await page.goto('/cluster')
  await page.getByRole('link', { name: 'Health', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible()
  const again = page.getByRole('button', { name: /^Check (again )?node-/ })
  await again.first().click()
  await expect(page.getByText(/checks itself$/).first()).toBeVisible()
  await expect(page.getByText(/^A check runs/)).toBeHidden()
  await expect(page.getByText(/^Checked /).first()).toBeVisible()
  const others = page.locator('details').first()
  if ((await others.getAttribute('open')) === null) await others.locator('summary').click()
  await expect(page.getByText('The engine has seccomp.').first()).toBeVisible()
  await expectNoSideScroll(page)
})

test('a node with failures links to what to do, and gpuq doctor exits with 1', async ({ page, context }) => {
  const node = `failing-${Date.now()}`
  const failing = await createFakeNode(node, 'NVIDIA A100')
  const failed = {
    id: 'gpu_compute',
    title: 'Computation on the GPU',
    status: 'failure',
    found: 'A CUDA kernel failed on GPU 0.',
    action: 'Replace it.',
  }
  await storedData().pool.query(
    `INSERT INTO node_reports (node_id, checked_at, failures, checks)
     SELECT id, now(), 1, $2::jsonb FROM nodes WHERE name = $1`,
    [node, JSON.stringify([failed])],
  )
  try {
    await signIn(context, admin)
    await openCluster(page)
    const line = page.getByText(`1 check of ${node} failed.`)
    await line.getByRole('link', { name: 'See what to do' }).click()
    await expect(page.getByRole('list', { name: `Problems of ${node}` })).toContainText('Replace it.')

    const home = await mkdtemp(join(tmpdir(), 'gpuq-doctor-'))
    const env = { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: theSystem().adminToken }
    const ended = await runCli(['doctor', '--json'], { home, env })
    await rm(home, { recursive: true })
    expect(ended.code).toBe(1)
    const report = nodeReportsSchema.parse(JSON.parse(ended.out)).find(({ name }) => name === node)
    expect(report).toMatchObject({ failures: 1, checks: [failed] })
  } finally {
    await failing.leave()
    await adminClient().cluster.forgetNode(failing.number)
  }
})
