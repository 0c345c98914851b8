import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { openCluster } from './cluster-page'
import { runCli } from './run-cli'
import { signIn } from './sign-in'
import { createSlurmUser, forever, occupyAll, test } from './system/slurm-system'
import { theSystem } from './system/the-system'
import { adminUser, type TestUser } from './test-users'

/** The other interfaces of gpuq on a real Slurm. */

let person: TestUser
test.beforeAll(async () => {
  person = await createSlurmUser()
})

test('the queue API submits, lists, reorders and cancels jobs', async () => {
  const blocker = await occupyAll(person)
  const { client } = person
  const command = { command: 'echo here', gpu_count: 8, instance_count: 2 }
  const later = await client.queue.submit({ ...command, name: 'later' })
  const urgent = await client.queue.submit({ ...command, name: 'urgent' })
  await expect.poll(async () => (await client.jobs.get(urgent.job_id)).slurm?.state).toBe('PENDING')
  await client.queue.setPriority(urgent.job_id, { priority: 60 })
  // Slurm orders its own queue again.
  await expect
    .poll(async () => (await client.queue.list({})).queued.map(({ name }) => name))
    .toEqual(['urgent', 'later'])
  await client.queue.cancel(later.job_id)
  await client.queue.cancel(blocker)
  await expect.poll(async () => (await client.jobs.get(urgent.job_id)).status).toBe('completed')
  expect(await client.jobs.get(later.job_id)).toMatchObject({ status: 'cancelled', attempt: 0 })
})

test('the command line runs, lists and cancels jobs, and shows the nodes of Slurm', async () => {
  const home = await mkdtemp(join(tmpdir(), 'gpuq-cli-'))
  const gpuq = (...args: string[]) =>
    runCli(args, { home, env: { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: person.token } })
  expect(await gpuq('run', '--gpus', '1', '-q', '--', 'sh', '-c', 'echo "two  words"; exit 3')).toEqual({
    code: 3,
    out: 'two  words\n',
    err: '',
  })
  const program = join(home, 'solution.py')
  await writeFile(program, forever)
  const { out } = await gpuq('submit', program, '--no-wait', '--gpus', '1', '--cpu', '1', '--max-time', '1h')
  const id = out.trim()
  await expect.poll(async () => (await gpuq('jobs', '--status', 'running')).out).toContain(id)
  expect(await gpuq('cancel', id)).toMatchObject({ code: 0 })
  expect(await gpuq('wait', id)).toMatchObject({ code: 130 })
  expect((await gpuq('slurm')).out).toMatch(/n0.*\n.*n1/)
  await rm(home, { recursive: true, force: true })
})

test('an admin drains a node of Slurm on the cluster page', async ({ page, context, slurm }) => {
  await signIn(context, adminUser())
  await openCluster(page)
  const row = page.getByRole('table', { name: 'Slurm nodes' }).getByRole('row', { name: /n1/ })
  await row.getByRole('button', { name: /Drain/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('a new fan')
  await dialog.getByRole('button', { name: /Drain/ }).click()
  await expect(row).toContainText('a new fan')
  expect(await slurm.run('scontrol', ['show', 'node', 'n1'])).toContain('Reason=a new fan')
  await row.getByRole('button', { name: /Resume/ }).click()
  await expect(row).not.toContainText('a new fan')
})
