import { expect, type Locator, type Page } from '@playwright/test'
import { test } from './browser-test'
import { bearer, call } from './http-call'
import { sessionCookie, signIn } from './sign-in'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { submit, waitingConfig } from './uploads'

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

test('an invitation works once, and its password works after that', async ({ page, watch }) => {
  const handle = `guest-${Date.now()}`
  const link = await test.step('invite', async () => {
    await page.goto('/admin/users')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('User id').fill('not an id')
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    await expect(dialog.getByText(/letters, digits/)).toBeVisible()
    await dialog.getByLabel('User id').fill(handle)
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    return (await dialog.getByRole('region', { name: 'invitation link' }).textContent()) ?? ''
  })
  const guest = await watch.openBrowser()
  await test.step('accept', async () => {
    await guest.goto(link)
    await expect(guest.getByRole('heading', { name: `Welcome, ${handle}` })).toBeVisible()
    await guest.getByLabel('Password', { exact: true }).fill('a new password of mine')
    await guest.getByLabel('Repeat password').fill('another password')
    await guest.getByRole('button', { name: 'Set password' }).click()
    await expect(guest.getByText(/do not match/)).toBeVisible()
    await guest.getByLabel('Repeat password').fill('a new password of mine')
    await guest.getByRole('button', { name: 'Set password' }).click()
    await expect(guest.getByText('No jobs yet')).toBeVisible()
  })
  await test.step('the link was used up', async () => {
    const late = await watch.openBrowser()
    await late.goto(link)
    await expect(late.getByText('This invitation is not valid')).toBeVisible()
    await late.goto('/sign-in')
    await late.getByLabel('E-mail or user id').fill(handle)
    await late.getByLabel('Password').fill('a new password of mine')
    await late.getByRole('button', { name: 'Sign in' }).click()
    await expect(late.getByText('No jobs yet')).toBeVisible()
  })
})

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
  const row = page.getByRole('row', { name: new RegExp(`user_updated.*${person.handle}`) }).first()
  await expect(row).toContainText('max_active_jobs')
  for (const id of ids) await person.client.jobs.cancel(id)
})

test('a user creates a token, sees its use, and revokes it', async ({ context, page }) => {
  const person = await createUser({ name: 'self', limits: noLimits })
  await signIn(context, person)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('checkbox', { name: /admin/ })).toHaveCount(0)
  await dialog.getByLabel('Name').fill('notebook')
  await dialog.getByRole('checkbox', { name: /submit/ }).click()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = (await dialog.getByRole('region', { name: 'token', exact: true }).textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /notebook/ })
  await expect(row).toContainText('never')
  expect((await call('/api/jobs', { headers: bearer(token) })).status).toBe(200)
  expect((await call('/api/submit', { method: 'POST', headers: bearer(token) })).status).toBe(403)
  await page.reload()
  await expect(row).not.toContainText('never')
  await row.getByRole('button', { name: 'Revoke notebook' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  // Elements behind an open dialog have no role.
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(row).toHaveCount(0)
  expect((await call('/api/jobs', { headers: bearer(token) })).status).toBe(401)
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

test('sign-out ends the session, also for a copy of its cookie', async ({ context, page, watch }) => {
  watch.tolerate(/status of 401/)
  const person = await createUser({ name: 'leaving' })
  const elsewhere = await sessionCookie(person)
  await signIn(context, person)
  await page.goto('/jobs')
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const statusOf = async (cookie: string) => (await call('/api/users/me', { headers: { cookie } })).status
  await page.getByRole('button', { name: new RegExp(person.handle) }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  expect([await statusOf(cookie), await statusOf(elsewhere)]).toEqual([401, 200])
})

test('a user ends another session in the settings, and signs out everywhere', async ({ context, page }) => {
  const person = await createUser({ name: 'many' })
  const elsewhere = await sessionCookie(person)
  await signIn(context, person)
  await page.goto('/settings')
  const list = page.getByRole('list', { name: 'Sessions' })
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await expect(list.getByText('this browser')).toHaveCount(1)
  await list.getByRole('button', { name: /^End/ }).click()
  await expect(list.getByRole('listitem')).toHaveCount(1)
  expect((await call('/api/users/me', { headers: { cookie: elsewhere } })).status).toBe(401)
  await page.getByRole('button', { name: 'Sign out everywhere…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
})
