import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { chooseAction, gpusOf, openCluster, openGpu, waitingRow } from './cluster-page'
import { expectStatus } from './job-page'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { createFakeNode } from './system/fake-node'
import { adminClient, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { expectToast } from './toasts'
import { configText, submit } from './uploads'

/** Simulated nodes affect the whole system: run one test at a time. */
test.describe.configure({ mode: 'serial' })
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const simulated = { node_count: 2, gpus_per_node: 8 }
const node = 'sim-0'

let admin: TestUser
let owner: TestUser
let stranger: TestUser

test.beforeAll(async () => {
  admin = await createUser({ name: 'operator', role: 'admin' })
  owner = await createUser({ name: 'owner', limits: noLimits })
  stranger = await createUser({ name: 'stranger' })
})
test.afterAll(async () => {
  for (const person of [owner, stranger]) await cancelAll(person)
  await expect(async () => adminClient().cluster.initialize({ node_count: 0 })).toPass()
})

/** Requests all GPUs of a simulated node: more than the system's own node has. */
const wholeNode = (name: string, more: Record<string, unknown> = {}) =>
  configText({ name, gpu_count: 8, expected_time: 3000, ...more })

const forever = 'import time; time.sleep(3600)'

test('an admin creates simulated nodes and sees what runs on them', async ({ page, context }) => {
  await signIn(context, admin)
  await openCluster(page)
  // The system's own worker serves them, and may still be starting.
  await expect(page.getByRole('list', { name: /^GPUs of node-/ })).toBeVisible()
  await test.step('make them', async () => {
    await page.getByRole('button', { name: 'Simulated nodes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Simulated nodes' })
    await expect(dialog.getByText('These GPUs do not exist.')).toBeVisible()
    await dialog.getByLabel('Nodes').fill('65')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect(dialog.getByText('Use a whole number from 0 to 64.')).toBeVisible()
    await dialog.getByLabel('Nodes').fill(String(simulated.node_count))
    await dialog.getByLabel('GPUs per node').fill(String(simulated.gpus_per_node))
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect(dialog).toBeHidden()
    await expect(gpusOf(page, node)).toHaveCount(8)
    await expect(gpusOf(page, node).first()).toContainText('Simulated: no measurements')
  })
  await test.step('watch a job come and go', async () => {
    const id = await submit(owner, forever, wholeNode('fills a node'))
    const link = page.getByRole('region', { name: 'Nodes' }).getByRole('link', { name: 'fills a node' })
    await expect(link.first()).toBeVisible()
    await expect(link).toHaveCount(8)
    await page.getByRole('radio', { name: /Running/ }).click()
    const row = page.getByRole('table', { name: 'Running jobs' }).getByRole('row', { name: /fills a node/ })
    await expect(row).toContainText('8 GPUs')
    await chooseAction(page, 'fills a node', 'Cancel job…')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel job' }).click()
    await expect(link).toHaveCount(0)
    await page.goto(`/jobs/${id}`)
    await expectStatus(page, 'Cancelled')
    await page.getByRole('tab', { name: 'Details' }).click()
    await expect(page.getByText('The GPUs were simulated')).toBeVisible()
  })
})

test('an admin pauses and resumes a GPU and a node', async ({ page, context }) => {
  await signIn(context, admin)
  await openCluster(page)
  await test.step('a GPU', async () => {
    const dialog = await openGpu(page, node, 3)
    await dialog.getByLabel('Reason').fill('a new fan')
    await dialog.getByRole('button', { name: 'Pause GPU' }).click()
    await expect(gpusOf(page, node).nth(3)).toContainText('Paused')
    await expect(gpusOf(page, node).nth(3)).toContainText('a new fan')
    const again = await openGpu(page, node, 3)
    await again.getByRole('button', { name: 'Resume GPU' }).click()
    await page.keyboard.press('Escape')
    await expect(gpusOf(page, node).nth(3)).toContainText('Free')
    await expect(gpusOf(page, node).nth(3).getByRole('button')).toBeFocused()
  })
  await test.step('a node', async () => {
    await page.getByRole('button', { name: `Pause ${node}`, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause node' }).click()
    await expect(gpusOf(page, node).first()).toContainText('Closed')
    await page.getByRole('button', { name: `Resume ${node}`, exact: true }).click()
    await expect(gpusOf(page, node).first()).toContainText('Free')
  })
})

test('an admin changes the priority of a waiting job and cancels it', async ({ page, context }) => {
  for (let count = 0; count < simulated.node_count; count++)
    await submit(owner, forever, wholeNode('runs in secret'))
  await submit(owner, 'print(1)', wholeNode('waits first', { expected_time: 60 }))
  const second = await submit(owner, 'print(1)', wholeNode('waits second', { expected_time: 60 }))
  await signIn(context, admin)
  await openCluster(page)
  await expect(waitingRow(page, 'waits second')).toContainText(
    'It needs 8 GPUs on one node, and no node has that many free.',
  )
  await expect(waitingRow(page, 'waits second')).toContainText(/in [2-4]\d min|between \d/)
  await chooseAction(page, 'waits second', 'Change priority…')
  const dialog = page.getByRole('dialog', { name: 'Change priority' })
  await dialog.getByLabel('Priority').fill('101')
  await dialog.getByRole('button', { name: 'Change priority' }).click()
  await expect(dialog.getByText('from -100 to 100')).toBeVisible()
  await dialog.getByLabel('Priority').fill('7')
  await dialog.getByRole('button', { name: 'Change priority' }).click()
  await expect(waitingRow(page, 'waits second').getByRole('cell', { name: '7', exact: true })).toBeVisible()
  const names = page.getByRole('table', { name: 'Waiting jobs' }).getByRole('link', { name: /^waits/ })
  await expect(names).toHaveText(['waits second', 'waits first'])
  await expectUsable(page, 'cluster')

  await chooseAction(page, 'waits second', 'Cancel job…')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel job' }).click()
  await expect(waitingRow(page, 'waits second')).toHaveCount(0)
  await page.goto(`/jobs/${second}`)
  await expectStatus(page, 'Cancelled')
})

test("a researcher sees the cluster without other users' jobs", async ({ page, context }) => {
  const own = await submit(stranger, 'print(1)', wholeNode('my own'))
  await signIn(context, stranger)
  await openCluster(page)
  const nodes = page.getByRole('region', { name: 'Nodes' })
  await expect(nodes.getByText('another user’s job').first()).toBeVisible()
  await expect(waitingRow(page, 'my own')).toBeVisible()
  await expect(waitingRow(page, 'Another user’s job').first()).toBeVisible()
  for (const theirs of [owner.handle, 'runs in secret', 'waits first']) {
    await expect(page.getByText(theirs)).toHaveCount(0)
  }
  await expect(page.getByRole('button', { name: /^Pause|Simulated nodes|scheduler/ })).toHaveCount(0)
  const dialog = await openGpu(page, node, 0)
  await expect(dialog.getByRole('button', { name: /Pause/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expectUsable(page, 'cluster of a researcher')

  await page.goto(`/jobs/${own}`)
  const main = page.getByRole('main')
  await expect(main).toContainText('It needs 8 GPUs on one node, and no node has that many free.')
  await expect(main).toContainText(/Position \d+ in the queue, expected to start (in [2-4]\d min|between \d)/)
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(main).toContainText('8 GPUs, 0.5 cores')
  await stranger.client.jobs.cancel(own)
})

test('a job shows that an admin paused its resources, and a lost GPU and node can be forgotten', async ({
  page,
  context,
}) => {
  const model = 'Rare A100'
  const [kept, gone] = [await createFakeNode('lab-kept', model), await createFakeNode('lab-gone', model)]
  const id = await submit(stranger, 'print(1)', configText({ name: 'rare', gpu_count: 1, gpu_model: model }))
  await signIn(context, admin)
  await openCluster(page)
  await test.step('pause, with a reason', async () => {
    await page.getByRole('button', { name: 'Pause lab-kept', exact: true }).click()
    await page.getByLabel('Reason').fill('new disks on Monday')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause node' }).click()
    const told = /An admin paused lab-kept on \d{4}-\d\d-\d\d at \d\d:\d\d UTC: new disks on Monday\./
    await expect(waitingRow(page, 'rare')).toContainText(told)
    await expect(async () => {
      expect((await stranger.client.jobs.get(id)).reason_text).toMatch(told)
    }).toPass()
  })
  await test.step('forget a GPU', async () => {
    await gone.loseGpu(1)
    await expect(gpusOf(page, 'lab-gone').nth(1)).toContainText('Missing')
    const dialog = await openGpu(page, 'lab-gone', 1)
    await dialog.getByRole('button', { name: 'Forget GPU' }).click()
    await expectUsable(page, 'asking whether to forget a GPU')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget GPU' }).click()
    await expect(gpusOf(page, 'lab-gone')).toHaveCount(1)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('forget a node', async () => {
    await expect(page.getByRole('button', { name: 'Forget lab-gone', exact: true })).toHaveCount(0)
    await gone.leave()
    await page.getByRole('button', { name: 'Forget lab-gone', exact: true }).click()
    const asked = page.getByRole('alertdialog', { name: 'Forget lab-gone?' })
    await asked.getByRole('button', { name: 'Keep node' }).click()
    await expect(gpusOf(page, 'lab-gone')).toHaveCount(1)
    await page.getByRole('button', { name: 'Forget lab-gone', exact: true }).click()
    await expectToast(page, 'lab-gone forgotten', () =>
      asked.getByRole('button', { name: 'Forget node' }).click(),
    )
    await expect(gpusOf(page, 'lab-gone')).toHaveCount(0)
  })
  await stranger.client.jobs.cancel(id)
  await kept.leave()
  await adminClient().cluster.forgetNode(kept.number)
})

test('an admin edits the policy and the models', async ({ page, context }) => {
  await signIn(context, admin)
  await page.goto('/admin/policy')
  const before = await adminClient().orchestrator.policy()
  await test.step('the policy', async () => {
    await page.getByLabel('Queue size').fill('none')
    await page.getByRole('button', { name: 'Save policy' }).click()
    await expect(page.getByText('Use a whole number from 0 to 1,000,000.')).toBeVisible()
    await page.getByLabel('Queue size').fill('77')
    await expectToast(page, 'Policy saved', () => page.getByRole('button', { name: 'Save policy' }).click())
    expect((await adminClient().orchestrator.policy()).max_queue_size).toBe(77)
    await adminClient().orchestrator.updatePolicy({ max_queue_size: before.max_queue_size })
  })
  await test.step('the models', async () => {
    const table = { default_requirement: 2, models: { 'a-model': 0.5, 'b-model': 4 } }
    await page.getByRole('button', { name: 'Paste JSON…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paste JSON' })
    await dialog.getByLabel('JSON').fill('{"models": 1}')
    await dialog.getByRole('button', { name: 'Use this table' }).click()
    await expect(dialog.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true')
    await dialog.getByLabel('JSON').fill(JSON.stringify(table))
    await dialog.getByRole('button', { name: 'Use this table' }).click()
    await page.getByRole('button', { name: 'Remove b-model' }).click()
    await page.getByRole('button', { name: 'Add model' }).click()
    await page.getByLabel('Model', { exact: true }).last().fill('c-model')
    await expectToast(page, 'Models saved', () => page.getByRole('button', { name: 'Save models' }).click())
    expect(await adminClient().cluster.models()).toEqual({
      default_requirement: 2,
      models: { 'a-model': 0.5, 'c-model': 1 },
    })
  })
  await expectUsable(page, 'policy')
})

test('a large cluster is split into pages, and nodes can be found by name', async ({ page, context }) => {
  await adminClient().cluster.initialize({ ...simulated, node_count: 60 })
  await signIn(context, admin)
  await openCluster(page)
  const nodes = page.getByRole('list', { name: /^GPUs of / })
  const place = page.getByRole('navigation', { name: 'Nodes: pages' }).first()
  await expect(nodes).toHaveCount(48)
  await expect(place).toContainText('Nodes 1 to 48 of 62')
  // The figures cover all nodes that run: 60 with 8 GPUs, and the system's own.
  await expect(page.getByText('of 482')).toBeVisible()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expectNoSideScroll(page)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await test.step('go on and back', async () => {
    await place.getByRole('button', { name: 'Next' }).click()
    await expect(nodes).toHaveCount(14)
    await expect(place).toContainText('Nodes 49 to 62 of 62')
    await expect(place.getByRole('button', { name: 'Next' })).toBeDisabled()
    await place.getByRole('button', { name: 'Previous' }).click()
    await expect(place).toContainText('Nodes 1 to 48 of 62')
  })
  await test.step('find one on the other page', async () => {
    await page.getByRole('textbox', { name: 'Find nodes' }).fill('SIM-59')
    await expect(nodes).toHaveCount(1)
    await expect(page.getByRole('list', { name: 'GPUs of sim-59' })).toBeVisible()
    await page.getByRole('textbox', { name: 'Find nodes' }).fill('nowhere')
    await expect(nodes).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Nodes' })).toContainText('No matching nodes')
  })
})
