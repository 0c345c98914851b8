import { AxeBuilder } from '@axe-core/playwright'
import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits } from './test-users'
import { submit, waitingConfig } from './uploads'

/** Notes, stars and tags of jobs: edited on the page of a job, found in the list. */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

test.use({ contextOptions: { reducedMotion: 'reduce' } })

for (const { width, colorScheme } of [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const) {
  test(`a job gets a note, a star and tags, and is found by them at ${width} px`, async ({
    page,
    context,
  }) => {
    const person = await createUser({ name: 'labels', limits: noLimits })
    await signIn(context, person)
    await submit(person, 'print(1)', `${waitingConfig}name: "another"\n`)
    const id = await submit(
      person,
      'print(2)',
      `${waitingConfig}name: "the best"\ntags: ["from the config"]\n`,
    )
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    await page.goto(`/jobs/${id}`)

    await page.getByRole('button', { name: 'Star' }).click()
    await expect(page.getByRole('button', { name: 'Star' })).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('button', { name: 'Edit tags' }).click()
    await page.keyboard.type('v2')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove tag v2' })).toBeVisible()
    expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a note' }).click()
    await page.keyboard.type('<i>Slow</i>\nbut good')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(page.getByRole('region', { name: 'Note' })).toContainText('<i>Slow</i>')
    await expectNoSideScroll(page)
    expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
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
    await expectNoSideScroll(page)
    expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
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
}
