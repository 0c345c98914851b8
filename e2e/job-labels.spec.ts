import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { submit, waitingConfig } from './uploads'

/** Notes, stars and tags of jobs: edited on the page of a job, found in the list. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('a job gets a note, a star and tags, and is found by them', async ({ page, context }) => {
  const person = await createUser({ name: 'labels', limits: noLimits })
  await signIn(context, person)
  await submit(person, 'print(1)', `${waitingConfig}name: "another"\n`)
  const id = await submit(person, 'print(2)', `${waitingConfig}name: "the best"\ntags: ["from the config"]\n`)
  await page.goto(`/jobs/${id}`)

  await page.getByRole('button', { name: 'Star' }).click()
  await expect(page.getByRole('button', { name: 'Star' })).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Edit tags' }).click()
  await page.keyboard.type('v2')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove tag v2' })).toBeVisible()
  await expectUsable(page, 'the tags of a job while they are edited')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add a note' }).click()
  await page.keyboard.type('<i>Slow</i>\nbut good')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('region', { name: 'Note' })).toContainText('<i>Slow</i>')
  await expectUsable(page, 'a job with a note, a star and tags')
  expect(await person.client.jobs.get(id)).toMatchObject({
    note: '<i>Slow</i>\nbut good',
    starred: true,
    tags: ['from the config', 'v2'],
  })

  await page.getByRole('link', { name: 'v2' }).click()
  await expect(page).toHaveURL(/\/jobs\?tag=v2$/)
  await expect(page.getByRole('link', { name: 'the best' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'another' })).toBeHidden()
  await expect(page.getByRole('img', { name: 'Star' })).toBeVisible()
  await expectUsable(page, 'the list of the jobs with a tag')
  await page.getByRole('combobox', { name: 'Search jobs' }).fill('tag:none')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No matching jobs')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect(page.getByRole('link', { name: 'another' })).toBeVisible()
  await page.getByRole('button', { name: 'Only jobs with a star' }).click()
  await expect(page.getByRole('link', { name: 'another' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'the best' })).toBeVisible()
  await cancelAll(person)
})
