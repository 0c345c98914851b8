import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { storedData } from './stored-data'
import { cancelAll, createUser, noLimits } from './test-users'
import { configText, submit, waitingConfig } from './uploads'

/** The list of jobs by keyboard only: search, columns, selection and saved views. */

test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('jobs are searched, selected and saved as a view', async ({ page, context }) => {
  const person = await createUser({ name: 'search', limits: noLimits })
  await signIn(context, person)
  const done = await submit(person, 'print(1)', configText({ name: 'resnet one' }), { wait: true })
  await submit(person, 'print(1)', `${waitingConfig}name: "waiting one"\ntags: ["the best"]\n`)
  await submit(person, 'print(1)', `${waitingConfig}name: "waiting two"\n`)
  // Whether a job's numbers become metrics is tested elsewhere.
  await storedData().pool.query(`UPDATE jobs SET final_metrics = '{"loss": 0.125}' WHERE id = $1`, [done])
  await page.goto('/jobs')
  const box = page.getByRole('combobox', { name: 'Search jobs' })
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row')
  await expect(rows).toHaveCount(3)

  await page.keyboard.press('/')
  await expect(box).toBeFocused()
  await page.keyboard.type('stauts:x')
  await expect(page.getByText('Did you mean “status”?')).toBeVisible()
  await expectUsable(page, 'a search with a mistake')
  await box.fill('')
  await page.keyboard.type('tag:')
  await expect(page.getByRole('option', { name: 'the best' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expectUsable(page, 'the suggestions of a search')
  await page.keyboard.press('Enter')
  await expect(box).toHaveValue('tag:"the best" ')
  await expect(rows).toHaveCount(1)
  await expect(page).toHaveURL(/q=tag%3A%22the\+best%22$/)
  await box.fill('metric.loss<0.2')
  await expect(rows).toHaveText([/resnet one/])
  await box.fill('resn status:completed,failed')
  await expect(rows).toHaveText([/resnet one/])
  await box.fill('waiting')
  await expect(rows).toHaveCount(2)

  await page.getByRole('button', { name: 'Save view' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Name of the view' })).toBeFocused()
  await page.keyboard.type('Not started')
  await expectUsable(page, 'the name of a new view')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Not started' })).toBeVisible()
  await page.reload()
  await expect(rows).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Not started' })).toBeVisible()

  // From the start of the page.
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'waiting two' })).toBeFocused()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const bar = page.getByRole('toolbar', { name: 'Selected jobs' })
  await expect(bar).toContainText('2 selected')
  await expectUsable(page, 'a list with selected jobs')
  await bar.getByRole('button', { name: 'Cancel' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog', { name: 'Cancel 2 jobs?' })).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Cancelled 2 jobs.')).toBeVisible()
  await expect(rows.getByText('Cancelled', { exact: true })).toHaveCount(2)

  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'waiting two' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('not star')
  await expect(page.getByRole('option', { selected: true })).toContainText('Not started')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/jobs\?q=waiting/)
  await expect(rows).toHaveCount(2)
  await cancelAll(person)
})

test('columns and the order of the list are chosen', async ({ page, context }) => {
  const person = await createUser({ name: 'columns', limits: noLimits })
  await signIn(context, person)
  for (const [name, loss] of Object.entries({ worse: 0.5, better: 0.25 })) {
    const id = await submit(person, 'print(1)', configText({ name }), { wait: true })
    await storedData().pool.query('UPDATE jobs SET final_metrics = $2 WHERE id = $1', [id, { loss }])
  }
  await page.goto('/jobs')
  const rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody').getByRole('row')
  await expect(rows).toHaveText([/better/, /worse/])
  await page.getByRole('button', { name: 'View', exact: true }).focus()
  await page.keyboard.press('Enter')
  for (const name of ['loss', 'GPU hours', 'Wait', 'Tags']) {
    const item = page.getByRole('menuitemcheckbox', { name })
    await item.focus()
    await page.keyboard.press('Enter')
    await expect(item).toBeChecked()
  }
  await page.getByRole('menuitemradio', { name: 'loss, largest first' }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/sort=-metric\.loss/)
  await expect(rows).toHaveText([/worse.*0\.5/s, /better.*0\.25/s])
  await expect(page.getByText('Sorted by loss.')).toBeVisible()
  await expectUsable(page, 'the list with more columns')
  await page.reload()
  await expect(rows).toHaveText([/worse.*0\.5/s, /better.*0\.25/s])
})
