import { expect } from '@playwright/test'
import { test } from './browser-test'
import { bearer, call } from './http-call'
import { sessionCookie, signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'

let admin: TestUser
test.beforeAll(async () => {
  admin = await createUser({ name: 'admin', role: 'admin' })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, admin)
})

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
