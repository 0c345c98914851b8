import { expect } from '@playwright/test'
import { queueSchema } from '@/lib/contract/cluster/cluster'
import { queueSubmittedSchema } from '@/lib/contract/queue'
import { test } from './browser-test'
import { runCommand } from './documented/run'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'
import { submit, waitingConfig } from './uploads'

/** Tests the examples of the queue API in the user guide. */

test('a command runs in a shell with a writable directory, and its page shows it', async ({
  page,
  context,
}) => {
  const person = await createUser({ name: 'commander', limits: noLimits })
  const facts = { token: person.token, handle: person.handle }
  const { job_id: jobId } = queueSubmittedSchema.parse(await runCommand('queue-submit.sh', facts))
  await expect.poll(async () => (await person.client.jobs.get(jobId)).status).toBe('failed')
  expect(await person.client.jobs.result(jobId)).toMatchObject({
    stdout: '42\nkept\n',
    reason: 'exit_code',
    exit_code: 3,
  })
  await signIn(context, person)
  await page.goto(`/jobs/${jobId}?tab=source`)
  await expect(page.getByRole('heading', { name: 'warm-up' })).toBeVisible()
  await expect(page.getByText('echo kept > note').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run again' })).toBeVisible()
})

test('the commands of the guide list, reprioritize and cancel waiting jobs', async () => {
  const person = await createUser({ name: 'commander', limits: noLimits })
  const jobId = await submit(person, 'print(1)', waitingConfig)
  const facts = { token: person.token, handle: person.handle, jobId }
  const { queued } = queueSchema.parse(await runCommand('queue.sh', facts))
  expect(queued.find((job) => job.job_id === jobId)).toMatchObject({ user: person.handle, status: 'queued' })
  expect(await runCommand('queue-priority.sh', facts)).toMatchObject({ job_id: jobId, priority: 0 })
  expect(await runCommand('queue-cancel.sh', facts)).toMatchObject({ job_id: jobId, status: 'cancelled' })
})
