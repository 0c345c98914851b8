import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { test } from './browser-test'
import { signIn } from './sign-in'
import { createUser } from './test-users'

/** The import of users, by the keyboard. */

test('an admin imports users by the keyboard, and their invitations work', async ({
  page,
  context,
  watch,
}) => {
  const admin = await createUser({ name: 'admin', role: 'admin' })
  const handle = `imported-${randomBytes(4).toString('hex')}`
  await signIn(context, admin)
  await page.goto('/admin/users')
  await page.getByRole('link', { name: 'Import' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Import users' })).toBeVisible()
  await page.getByLabel('Or paste the text').fill(`user_id;name;email\n${handle};=1+1;wrong\n`)
  await page.getByRole('button', { name: 'Preview' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('table', { name: 'Problems' })).toContainText('is not an e-mail address')
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toHaveCount(0)

  const file = { name: 'class.csv', mimeType: 'text/csv' }
  await page.locator('input[type=file]').setInputFiles({
    ...file,
    buffer: Buffer.from(`\uFEFFuser_id;name\r\n${handle};=1+1\r\n${admin.handle};\r\n`),
  })
  await page.getByRole('button', { name: 'Preview' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'created' })).toHaveText(
    '1 user will be created, 0 will change, 1 unchanged.',
  )
  await page.getByRole('button', { name: 'Import', exact: true }).focus()
  await page.keyboard.press('Enter')
  const download = page.getByRole('button', { name: 'Download invitations' })
  await expect(download).toBeVisible()
  await download.focus()
  const [saved] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const text = await readFile(await saved.path(), 'utf8')
  expect(text).toMatch(/^\uFEFFname,email,user_id,link,expires\r\n/)
  expect(text).toContain("'=1+1")
  const link = /http\S+\/invitations\/[\w-]{43}/.exec(text)?.[0] ?? ''
  const guest = await watch.openBrowser()
  await guest.goto(link)
  await expect(guest.getByRole('heading', { name: `Welcome, ${handle}` })).toBeVisible()
})
