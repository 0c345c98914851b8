import { randomBytes } from 'node:crypto'
import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { adminClient, clientOf, createUser } from './test-users'
import { configText, submit } from './uploads'

/** A class: its manager, its join link, and what the manager sees. */

test('a class joins with a link, and its manager sees what the students submit', async ({
  page,
  context,
  watch,
}) => {
  const admin = await createUser({ name: 'admin', role: 'admin' })
  const teacher = await createUser({ name: 'teacher' })
  const slug = `class-${randomBytes(4).toString('hex')}`
  await teacher.client.projects.create({ project_id: slug })
  await signIn(context, admin)
  await page.goto('/admin/projects')
  await page.getByRole('link', { name: slug, exact: true }).click()
  await page.getByRole('button', { name: `Make manager ${teacher.handle}` }).click()
  await expect(page.getByText('The manager sees all jobs of this project')).toBeVisible()

  const links = page.getByRole('region', { name: 'Join links' })
  await links.getByLabel('People', { exact: true }).fill('1')
  await links.getByRole('button', { name: 'Create join link' }).focus()
  await page.keyboard.press('Enter')
  const url = (await links.getByRole('region', { name: 'join link', exact: true }).textContent()) ?? ''
  expect(url).toMatch(/\/join\/[\w-]{43}$/)
  await expect(links.getByText('0 of 1 joined')).toBeVisible()

  const student = await watch.openBrowser()
  const handle = `student-${randomBytes(4).toString('hex')}`
  await student.setViewportSize({ width: 390, height: 844 })
  await student.goto(url)
  await expect(student.getByText(`Its managers (${teacher.handle}) see these jobs`)).toBeVisible()
  await student.getByLabel('User id').fill(handle)
  await student.getByLabel('Password', { exact: true }).fill('seven quiet trams at dusk')
  await student.getByLabel('Repeat password').fill('seven quiet trams at dusk')
  await student.getByRole('button', { name: 'Create account and join' }).click()
  await expect(student.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()
  await expect(student.getByRole('link', { name: slug, exact: true })).toBeVisible()
  await expectNoSideScroll(student)

  const late = await watch.openBrowser()
  await late.goto(url)
  await expect(late.getByText('This link is full')).toBeVisible()

  const { token } = await adminClient().tokens.create({ user_id: handle, name: 'of a test' })
  const config = configText({
    name: 'homework',
    project_id: slug,
    env: { API_KEY: 'hush-hush' },
    gpu_count: 1,
    gpu_memory_gb: 1000,
  })
  await submit({ handle, email: '', password: '', token, client: clientOf(token) }, 'print("answer")', config)

  const seen = await watch.openBrowser()
  await signIn(seen.context(), teacher)
  await seen.goto('/projects')
  await seen.getByRole('link', { name: slug, exact: true }).click()
  await seen.getByRole('link', { name: 'Jobs of all members' }).click()
  const row = seen.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /homework/ })
  await expect(row).toContainText(handle)
  await row.getByRole('link', { name: 'homework' }).click()
  await expect(seen.getByRole('heading', { level: 1, name: 'homework' })).toBeVisible()
  await expect(seen.getByRole('button', { name: 'Star' })).toHaveCount(0)
  await seen.getByRole('tab', { name: 'Source' }).click()
  await expect(seen.getByRole('textbox', { name: 'solution.py' })).toContainText('answer')
  expect(await seen.content()).not.toContain('hush-hush')
  await seen.getByRole('button', { name: 'Cancel', exact: true }).click()
  await seen
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Cancel (the )?job/ })
    .click()
  await expect(seen.getByText('cancelled by a manager of its project')).toBeVisible()
})
