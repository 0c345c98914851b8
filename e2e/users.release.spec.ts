import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './browser-test'
import { bearer, call } from './http-call'
import { sessionCookie, signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, type TestUser } from './test-users'
import { submit, waitingConfig } from './uploads'

/** What `user-dialogs.test.tsx`, `project-invitations.test.tsx` and `users.db.test.ts` show, in a browser. */

let admin: TestUser
test.beforeAll(async () => {
  admin = await createUser({ name: 'admin', role: 'admin' })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, admin)
})

function rowOf(page: Page, handle: string): Locator {
  return page.getByRole('table', { name: 'Users' }).getByRole('row', { name: new RegExp(handle) })
}

async function choose(page: Page, handle: string, action: string): Promise<void> {
  await page.goto('/admin/users')
  await page.getByLabel('Find users').fill(handle)
  await page.getByRole('button', { name: `Actions for ${handle}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('disabling a user ends their sessions and tokens immediately', async ({ page, watch }) => {
  watch.tolerate(/status of 401/)
  const person = await createUser({ name: 'leaver' })
  const theirs = await watch.openBrowser()
  await signIn(theirs.context(), person)
  await theirs.goto('/tokens')
  await expect(theirs.getByRole('row', { name: /of a test/ })).toBeVisible()

  const waiting = await submit(person, 'print(1)', waitingConfig)
  const events = `${theSystem().url}/api/jobs/${waiting}/events`
  const stream = await fetch(events, { headers: bearer(person.token) })
  expect(stream.status).toBe(200)

  await choose(page, person.handle, 'Disable…')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
  await expect(rowOf(page, person.handle)).toContainText('disabled')

  expect((await call('/api/users/me', { headers: bearer(person.token) })).status).toBe(401)
  // The stream ends, although the job still waits.
  expect(await stream.text()).not.toContain('event: end')
  await theirs.getByRole('link', { name: 'Jobs' }).first().click()
  await expect(theirs.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await expect(sessionCookie(person)).rejects.toThrow('could not sign in')

  await choose(page, person.handle, 'Enable…')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Enable' }).click()
  await expect(rowOf(page, person.handle)).not.toContainText('disabled')
  expect((await call('/api/users/me', { headers: bearer(person.token) })).status).toBe(200)
  await theirs.goto('/jobs')
  await expect(theirs).toHaveURL(/\/sign-in/)
  await person.client.jobs.cancel(waiting)
})

test('an admin sets limits, roles and projects, and the audit log records it', async ({ page }) => {
  const person = await createUser({ name: 'limited' })
  await choose(page, person.handle, 'Edit and set limits…')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Active jobs').fill('3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  // The dialog closes after saving.
  await expect(dialog).toBeHidden()
  const columns = page.getByRole('table', { name: 'Users' }).getByRole('columnheader')
  const place = (await columns.allTextContents()).indexOf('Limits')
  await expect(rowOf(page, person.handle).getByRole('cell').nth(place)).toHaveText(/3 active$/, {
    useInnerText: true,
  })
  const ids = await Promise.all([1, 2, 3].map(() => submit(person, 'print(1)', waitingConfig)))
  await expect(submit(person, 'print(1)', waitingConfig)).rejects.toMatchObject({ status: 429 })
  await page.goto(`/admin/jobs?user_id=${person.handle}`)
  await expect(page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row')).toHaveCount(3)
  await page.goto(`/admin/audit?actor=${admin.handle}`)
  const row = page.getByRole('row', { name: new RegExp(`User changed.*${person.handle}`) }).first()
  await expect(row).toContainText('max active jobs')
  for (const id of ids) await person.client.jobs.cancel(id)
})

test('a project is shared with a user who accepts the invitation', async ({ context, page, watch }) => {
  const [owner, member] = [await createUser({ name: 'owner' }), await createUser({ name: 'member' })]
  await signIn(context, owner)
  await page.goto('/projects')
  await page.getByRole('button', { name: 'New project' }).click()
  await page.getByRole('dialog').getByLabel('Project id').fill('shared')
  await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click()
  await page.getByRole('link', { name: 'shared', exact: true }).click()
  const members = page.getByRole('region', { name: 'Members' })
  await members.getByLabel('Invite a member').fill(member.handle)
  await members.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(members).toContainText(`${member.handle}invited`)
  const theirs = await watch.openBrowser()
  await signIn(theirs.context(), member)
  await theirs.goto('/projects')
  await expect(theirs.getByRole('row', { name: /shared/ })).toHaveCount(0)
  await theirs.getByRole('button', { name: 'Accept shared' }).click()
  await expect(theirs.getByRole('row', { name: /shared/ })).toContainText(owner.handle)
  await page.reload()
  await expect(page.getByRole('button', { name: `Remove ${member.handle}` })).toBeVisible()
})
