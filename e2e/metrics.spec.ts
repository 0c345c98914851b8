import { expect } from '@playwright/test'
import { z } from 'zod'
import { test } from './browser-test'
import {
  expectPeaksDrawn,
  expectValues,
  isThinned,
  openManyPoints,
  printManyPoints,
  zoomToPeak,
} from './pages/many-points'
import { expectAccessible, expectFits, expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, sendParts, submit } from './uploads'

/** The charts of a job's metrics, and the comparison of jobs. */

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'metrics', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})
test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Prints two metrics per step. One value is not finite. */
const training = (rate: number) => `import json, math
for step in range(1, 201):
    loss = float("nan") if step == 100 else ${rate} / step + 0.1 * math.sin(step)
    print(json.dumps({"step": step, "loss": loss, "train/accuracy": 1 - 1 / step}))
`

test.describe('the metrics of a job', () => {
  let id: string
  test.beforeAll(async () => {
    id = await submit(person, training(2), configText({ name: 'resnet' }), { wait: true })
  })

  test('are charts that the keyboard reads and zooms', async ({ page }) => {
    await page.goto(`/jobs/${id}?tab=metrics`)
    const chart = page.getByRole('slider', { name: 'loss over step, 200 values' })
    await expect(chart).toBeVisible()
    await expect(page.getByRole('slider', { name: 'train/accuracy over step, 200 values' })).toBeVisible()
    await expect(page.getByText('1 value not finite')).toBeVisible()
    await expect(page.getByText('2 metrics')).toBeVisible()
    await expectFits(page, 'the charts of a job')

    await chart.focus()
    await page.keyboard.press('Home')
    await expect(chart).toHaveAttribute('aria-valuetext', /^step 1: 2\.0841$/)
    await page.keyboard.press('+')
    await expect(page.getByRole('button', { name: 'Reset zoom' })).toBeVisible()
    await expect(chart).toHaveAttribute('aria-valuemax', /^50\.75$/)
    await page.keyboard.press('0')
    await expect(chart).toHaveAttribute('aria-valuemax', '200')

    await page.getByLabel('Smoothing').focus()
    await page.keyboard.press('End')
    await expect(page.getByText('0.99', { exact: true })).toBeVisible()
    await page.getByRole('switch', { name: 'Logarithmic axis' }).click()
    await page.getByRole('combobox', { name: 'X axis' }).click()
    await page.getByRole('option', { name: 'Line number' }).click()
    await expect(page.getByRole('slider', { name: 'loss over line, 200 values' })).toBeVisible()
    await expect(page.getByRole('slider', { name: 'step over line, 200 values' })).toBeVisible()
    await page.getByRole('searchbox', { name: 'Find metrics' }).fill('ACC')
    await expect(page.getByRole('slider', { name: 'train/accuracy over line, 200 values' })).toBeVisible()
    await expect(page.getByRole('slider', { name: 'loss over line, 200 values' })).toBeHidden()
    await page.getByRole('searchbox', { name: 'Find metrics' }).fill('nothing')
    await expect(page.getByText('No metric has this text in its name.')).toBeVisible()
  })

  test('are exported as a picture and as CSV with all values', async ({ page }) => {
    await page.goto(`/jobs/${id}?tab=metrics`)
    const open = () => page.getByRole('button', { name: 'Export loss' }).click()
    await open()
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'PNG of this chart' }).click(),
    ])
    expect(picture.suggestedFilename()).toBe('loss.png')
    await open()
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV of all values' }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await csv.createReadStream()) chunks.push(chunk)
    const lines = Buffer.concat(chunks).toString().trim().split('\r\n')
    expect(lines).toHaveLength(201)
    expect(lines[0]).toBe('line,time,step,loss')
    expect(lines[100]).toMatch(/^100,[^,]+,100,NaN$/)
  })

  test('are beside the output in a wide window, live, without moving it', async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    const program = `import json, sys, time
print("ready", flush=True)
for step in range(3):
    print(json.dumps({"step": step, "loss": 1 / (step + 1)}), flush=True)
time.sleep(3600)
`
    const running = await submit(person, program, configText(longRunning))
    await page.goto(`/jobs/${running}`)
    const column = page.getByRole('region', { name: 'Metrics' })
    await expect(column).toBeVisible()
    const output = page.getByRole('tabpanel', { name: 'Output' })
    const before = await output.boundingBox()
    await expect(column.getByRole('img', { name: 'loss, last 0.33333' })).toBeVisible()
    const after = await output.boundingBox()
    expect({ x: after?.x, width: after?.width }).toEqual({ x: before?.x, width: before?.width })
    expect(after?.width).toBeGreaterThan(600)
    await expectAccessible(page, 'metrics beside the output')
    await column.getByRole('button', { name: 'Open' }).click()
    await expect(page.getByRole('slider', { name: 'loss over step, 3 values' })).toBeVisible()
    await page.setViewportSize({ width: 1279, height: 800 })
    await expect(column).toBeHidden()
    await cancelAll(person)
  })
})

test('a metric with many values is drawn with few points that keep the extremes, and a zoom loads the values', async ({
  page,
}) => {
  const count = 20_000
  const id = await submit(person, printManyPoints(count), configText(), { wait: true })
  const points = await openManyPoints(page, id, count)
  await expectPeaksDrawn(points)
  while (await isThinned(points)) await zoomToPeak(page, points)
  await expectValues(page, points)
})

test.describe('a comparison', () => {
  let jobs: string[]
  test.beforeAll(async () => {
    jobs = await Promise.all([
      submit(person, training(2), configText({ name: 'first', tags: ['a'] }), { wait: true }),
      submit(person, training(4), configText({ name: 'second', tags: ['b'] }), { wait: true }),
    ])
  })

  test('has curves, configs, metrics and programs', async ({ page }) => {
    await page.goto(`/jobs/compare?ids=${jobs.join(',')}`)
    await expect(page.getByRole('heading', { name: 'Compare 2 jobs' })).toBeVisible()
    await expect(page.getByRole('slider', { name: 'loss over step, 400 values' })).toBeVisible()
    const metrics = page.getByRole('table', { name: 'Final metrics' })
    await expect(metrics.getByRole('row', { name: /^loss/ }).getByRole('cell')).toHaveCount(2)
    const configs = page.getByRole('table', { name: 'Configs' })
    await expect(configs.getByRole('row', { name: /^tags/ })).toContainText(/\[.*a.*\].*\[.*b.*\]/)
    await expect(configs.getByRole('row', { name: /^expected_time/ })).toBeHidden()
    await expect(page.getByText(/removed: .* else 2 \/ step/)).toBeVisible()
    await expect(page.getByText(/added: .* else 4 \/ step/)).toBeVisible()
    await expectFits(page, 'a comparison')
    await page.getByRole('switch', { name: 'Show equal keys' }).click()
    await expect(configs.getByRole('row', { name: /^expected_time/ })).toBeVisible()
    await page.getByRole('button', { name: 'Remove first from the comparison' }).click()
    await expect(page).toHaveURL(new RegExp(`ids=${jobs[1]}$`))
    await expect(page.getByRole('link', { name: 'second' })).toBeVisible()
  })

  test('shows one step in all charts, groups the jobs and marks the best value', async ({ page }) => {
    const third = await submit(person, training(10), configText({ name: 'third', tags: ['a'] }), {
      wait: true,
    })
    await page.goto(`/jobs/compare?ids=${[...jobs, third].join(',')}`)
    const loss = page.getByRole('slider', { name: 'loss over step, 600 values' })
    const accuracy = page.getByRole('slider', { name: 'train/accuracy over step, 600 values' })
    const steps = () =>
      Promise.all(
        [loss, accuracy].map(async (chart) => (await chart.getAttribute('aria-valuetext'))?.split(':')[0]),
      )
    const expectStep = (step: number) => expect.poll(steps).toEqual([`step ${step}`, `step ${step}`])
    await loss.hover()
    await expect.poll(steps).not.toContain('step 200')
    const [one, other] = await steps()
    expect(other).toBe(one)
    await page.getByRole('heading', { name: 'Compare 3 jobs' }).hover()
    await expectStep(200)
    await accuracy.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await expectStep(5)
    await page.keyboard.press('Escape')
    await expectStep(200)

    await page.getByRole('combobox', { name: 'Group by' }).click()
    await page.getByRole('option', { name: 'Tags' }).click()
    await expect(page).toHaveURL(/group=tags/)
    await expect(loss).toHaveAttribute('aria-valuetext', /a -?[\d.]+ \(.* to .*\), b -?[\d.]+$/)
    const metrics = page.getByRole('table', { name: 'Final metrics' })
    await expect(metrics.getByRole('columnheader', { name: /^a n = 2/ })).toBeVisible()
    const row = metrics.getByRole('row', { name: /^loss/ })
    const best = await row.getByRole('cell').filter({ hasText: 'best' }).textContent()
    await metrics.getByRole('button', { name: 'The lowest loss is the best. Mark the highest' }).click()
    await expect(row.getByRole('cell').filter({ hasText: 'best' })).not.toHaveText(best ?? '')
    await page.reload()
    await expect(metrics.getByRole('columnheader', { name: /^a n = 2/ })).toBeVisible()
    await expect(metrics.getByRole('button', { name: /^The highest loss is the best/ })).toBeVisible()
    await expectUsable(page, 'a comparison of groups')
  })

  test.describe('of uploaded directories', () => {
    let directories: string[]
    test.beforeAll(async () => {
      const upload = async (files: Record<string, string>) => {
        const { text } = await sendParts(person, [
          ...Object.entries(files).map(([filename, content]) => ({ name: 'files', content, filename })),
          { name: 'config_file', content: configText(), filename: 'config.yaml' },
        ])
        return z.object({ job_id: z.string() }).parse(JSON.parse(text)).job_id
      }
      const common = { 'main.py': 'import src.model\n', 'data/points.csv': 'a,b\n1,2\n' }
      directories = await Promise.all([
        upload({ ...common, 'src/model.py': 'rate = 1\nsize = 8\n', 'old.txt': 'old\n' }),
        upload({ ...common, 'src/model.py': 'rate = 2\nsize = 8\n', 'new.txt': 'new\n' }),
      ])
    })

    test('lists the changed files and their lines', async ({ page }) => {
      await page.goto(`/jobs/compare?ids=${directories.join(',')}`)
      const directory = page.getByRole('region', { name: 'Uploaded directory' })
      await expect(directory.getByRole('button')).toHaveText([/^new\.txt/, /^old\.txt/, /^src\/model\.py/])
      await directory.getByRole('button', { name: /src\/model\.py/ }).focus()
      await page.keyboard.press('Enter')
      await expect(directory.getByText(/removed: .*rate = 1/)).toBeVisible()
      await expect(directory.getByText(/added: .*rate = 2/)).toBeVisible()
      await expectUsable(page, 'a comparison of directories')
    })
  })

  test('begins on the page of a job and continues with the keyboard', async ({ page }) => {
    await page.goto(`/jobs/${jobs[0]}`)
    await page.getByRole('button', { name: 'More', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Compare with…' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Compare jobs' })).toBeVisible()
    await page.getByRole('button', { name: 'Add a job' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Name or id' }).fill(jobs[1] ?? '')
    await expect(page.getByRole('list', { name: 'Jobs' }).getByRole('listitem')).toHaveCount(1)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Compare 2 jobs' })).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`ids=${jobs.join(',')}$`))
  })
})
