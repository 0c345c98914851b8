import { expect } from '@playwright/test'
import { test } from './browser-test'
import {
  commandCode,
  inputOf,
  rowOf,
  screenOf,
  shell,
  startTerminal,
  terminalOf,
  typeCommand,
} from './pages/terminal'
import { signIn } from './sign-in'
import { adminUser, cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** What `terminal-tab.test.tsx` and `terminal.db.test.ts` show for the page and the server, in a browser. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'terminals', limits: noLimits })
})
test.afterAll(() => cancelAll(person))

test('an admin sees the terminal of a user, and types only after asking for it', async ({
  page,
  context,
}) => {
  const id = await startTerminal(person, shell)
  await signIn(context, adminUser())
  await page.goto(`/jobs/${id}`)
  await expect(rowOf(page, 'ready>')).toBeAttached()
  await expect(terminalOf(page)).toContainText('Connected, read-only')
  await inputOf(page).focus()
  await page.keyboard.type('ignored')
  await terminalOf(page).getByRole('button', { name: 'Type in this terminal' }).click()
  await inputOf(page).focus()
  await typeCommand(page, 'echo help"ed"')
  await expect(rowOf(page, 'helped')).toBeAttached()
  await expect(screenOf(page)).not.toContainText('ignored')
  const { items } = await adminUser().client.audit.list({ action: 'terminal_used' })
  expect(items.filter(({ target }) => target === id)).toHaveLength(1)
})

test('the terminal shows that a job waits, and that it was cancelled', async ({ page, context }) => {
  const id = await submit(
    person,
    commandCode(shell),
    configText({ tty: true, gpu_count: 1, gpu_memory_gb: 1000 }),
  )
  await signIn(context, person)
  await page.goto(`/jobs/${id}`)
  await expect(terminalOf(page)).toContainText('Waits for the start of the job')
  await person.client.jobs.cancel(id)
  await expect(terminalOf(page)).toContainText('Ended: the job was cancelled')
})
