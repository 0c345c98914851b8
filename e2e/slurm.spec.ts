import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { SlurmCluster } from '@/worker/testing/slurm-cluster'
import { test as browserTest } from './browser-test'
import { expectUsable, openCluster } from './cluster-page'
import { bearer, call } from './http-call'
import { dropFiles, expectStatus, outputOf, submitDraft } from './job-page'
import { ownSystemOptions, useOwnSystem } from './own-system'
import { waitAtBarrier } from './program-barrier'
import { runCli } from './run-cli'
import { signIn } from './sign-in'
import { startSystem } from './system/start-system'
import { theSystem } from './system/the-system'
import { adminUser, createUser, noLimits, type TestUser } from './test-users'
import { configText, sendParts, submit, uploadParts } from './uploads'

/** gpuq on a real Slurm with two nodes of eight simulated GPUs, by all interfaces. */

const nodeNames = ['n0', 'n1']

const test = browserTest.extend<object, { slurm: SlurmCluster }>({
  slurm: [
    async ({ browserName: _ }, use) => {
      const slurm = await SlurmCluster.start({
        nodes: nodeNames.map((name) => ({ name, gpus: 8, shards: 0, gpuType: 'a100' })),
      })
      const directory = await mkdtemp(join(tmpdir(), 'gpuq-slurm-e2e-'))
      const system = await startSystem({
        workers: nodeNames.length,
        nodeNames,
        simulatedGpus: 8,
        env: {
          GPUQ_ENGINE: 'slurm',
          GPUQ_SLURM_ADMIN: 'true',
          GPUQ_SLURM_POLL_S: '1',
          GPUQ_SLURM_DIRECTORY: directory,
          ...slurm.env,
        },
      })
      await useOwnSystem(system, () => use(slurm))
      await slurm.stop()
      await rm(directory, { recursive: true, force: true })
    },
    ownSystemOptions,
  ],
})

/** All GPUs of both nodes: whatever comes later waits. */
const everything = { gpu_count: 8, instance_count: 2, max_time: 600 }
const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'slurm', limits: noLimits })
  // The leader reads the cluster before the first job.
  await expect
    .poll(
      async () =>
        JSON.parse((await call('/api/slurm', { headers: bearer(person.token) })).text).totals?.ready_nodes,
    )
    .toBe(2)
})

async function block(): Promise<string> {
  const id = await submit(person, forever, configText(everything))
  await expect.poll(async () => (await person.client.jobs.get(id)).status).toBe('running')
  return id
}

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
    errors: [{ path: 'memory_gb', message: expect.stringContaining('the most is') }],
  })
})

test('the queue API submits, lists, reorders and cancels jobs', async () => {
  const blocker = await block()
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

test('in the browser: sign in, submit, see why Slurm lets the job wait and until when, watch the output', async ({
  page,
}) => {
  const blocker = await block()
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
