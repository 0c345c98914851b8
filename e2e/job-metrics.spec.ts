import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { z } from 'zod'
import type { JobMetrics, MetricSeries } from '@/lib/contract/metrics/job-metrics'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, sendParts, submit } from './uploads'

/** The charts of a job's metrics, and the comparison of jobs. */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

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

const views = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

async function expectAccessible(page: Page): Promise<void> {
  expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
}

test.describe('the metrics of a job', () => {
  let id: string
  test.beforeAll(async () => {
    id = await submit(person, training(2), configText({ name: 'resnet' }), { wait: true })
  })

  for (const { width, colorScheme } of views) {
    test(`are charts that the keyboard reads and zooms at ${width} px, ${colorScheme}`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto(`/jobs/${id}?tab=metrics`)
      const chart = page.getByRole('slider', { name: 'loss over step, 200 values' })
      await expect(chart).toBeVisible()
      await expect(page.getByRole('slider', { name: 'train/accuracy over step, 200 values' })).toBeVisible()
      await expect(page.getByText('1 value not finite')).toBeVisible()
      await expect(page.getByText('2 metrics')).toBeVisible()
      await expectNoSideScroll(page)
      await expectAccessible(page)

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
  }

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
    await expectAccessible(page)
    await column.getByRole('button', { name: 'Open' }).click()
    await expect(page.getByRole('slider', { name: 'loss over step, 3 values' })).toBeVisible()
    await page.setViewportSize({ width: 1279, height: 800 })
    await expect(column).toBeHidden()
    await cancelAll(person)
  })
})

test('a job without metrics says how to print them', async ({ page }) => {
  const id = await submit(person, 'print("no numbers")', configText(), { wait: true })
  await page.goto(`/jobs/${id}?tab=metrics`)
  await expect(page.getByText('No metrics', { exact: true })).toBeVisible()
  await expect(page.getByText('print(json.dumps(')).toBeVisible()
})

test('10,000 metrics are found by their names', async ({ page }) => {
  const program = `import json
print(json.dumps({"step": 1, **{f"layer.{index}": index for index in range(9_999)}}))
`
  const id = await submit(person, program, configText(), { wait: true })
  await page.goto(`/jobs/${id}?tab=metrics`)
  await expect(page.getByText('9,999 metrics')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show more metrics' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Find metrics' }).fill('layer.9998')
  await expect(page.getByRole('slider', { name: 'layer.9998 over step, 1 value' })).toBeVisible()
  await expect(page.getByText('1 metric', { exact: true })).toBeVisible()
})

/** The heights, from 0 at the top to 1, at which a chart has a coloured pixel near a place of its x axis. */
function drawnRows(chart: Locator, place: number): Promise<number[]> {
  return chart.evaluate((element, at) => {
    const canvas = element.querySelector('canvas')
    const over = element.querySelector('.u-over')
    const context = canvas?.getContext('2d')
    if (!canvas || !over || !context) throw new Error('The chart has no canvas.')
    const scale = canvas.width / canvas.clientWidth
    const [outer, inner] = [canvas.getBoundingClientRect(), over.getBoundingClientRect()]
    const [left, top] = [(inner.left - outer.left) * scale, (inner.top - outer.top) * scale]
    const [width, height] = [inner.width * scale, Math.floor(inner.height * scale)]
    const { data } = context.getImageData(Math.round(left + at * width) - 3, Math.round(top), 7, height)
    const rows: number[] = []
    for (let row = 0; row < height; row++)
      for (let column = 0; column < 7; column++) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.slice(
          (row * 7 + column) * 4,
          (row * 7 + column) * 4 + 4,
        )
        // Grid lines are grey.
        if (alpha > 60 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60)
          rows.push(row / height)
      }
    return rows
  }, place)
}

test.describe('a metric with a million values', () => {
  const [lowest, highest] = [271_829, 614_322]
  /** Lines as short as possible, so that their records stay below the output limit. Two values are far from all others. */
  const program = `
values = [str(3 + line % 5) for line in range(1_000_000)]
values[${lowest} - 1], values[${highest} - 1] = "-99", "99"
for start in range(0, 1_000_000, 10_000):
    print("\\n".join('{"v":%s}' % value for value in values[start:start + 10_000]), flush=True)
`
  const mostPoints = 800
  const mostBytes = 128 * 1024

  test('is drawn with few points that keep the extremes, and a zoom loads the values themselves', async ({
    page,
  }) => {
    // Only ends a test that hangs: job, server and browser handle 64 MB, perhaps on a busy machine.
    test.setTimeout(900_000)
    const id = await submit(person, program, configText(), { wait: true })
    const sizes: number[] = []
    let latest: MetricSeries | undefined
    page.on('response', async (response) => {
      // Not those of the small curves beside the tabs.
      if (!response.url().includes(`/api/jobs/${id}/metrics?names=v`)) return
      const text = await response.text().catch(() => '')
      sizes.push(text.length)
      const [series] = text === '' ? [] : (JSON.parse(text) as JobMetrics).series
      if (series) latest = series
    })
    await page.goto(`/jobs/${id}?tab=metrics`)
    await expect(page.getByText('1 metric', { exact: true })).toBeVisible({ timeout: 600_000 })
    // A line that a stalled machine cuts in two is no metric.
    const chart = page.getByRole('slider', { name: /^v over line, (999,9\d\d|1,000,000) values$/ })
    await expect(chart).toBeVisible()
    await expect(chart).toHaveAttribute('data-points', String(mostPoints))
    expect(latest?.x).toHaveLength(mostPoints)
    expect(Math.min(...(latest?.low ?? []).map(Number))).toBe(-99)
    expect(Math.max(...(latest?.high ?? []).map(Number))).toBe(99)

    // Both peaks are drawn, far from the line of the means.
    const [lowPixels, highPixels] = [
      await drawnRows(chart, lowest / 1e6),
      await drawnRows(chart, highest / 1e6),
    ]
    const meanPixels = await drawnRows(chart, 0.1)
    expect(Math.max(...lowPixels) - Math.max(...meanPixels)).toBeGreaterThan(0.3)
    expect(Math.min(...meanPixels) - Math.min(...highPixels)).toBeGreaterThan(0.3)

    const read = async (name: string) => Number(await chart.getAttribute(name))
    const range = async () => ({ from: await read('aria-valuemin'), to: await read('aria-valuemax') })
    const plot = chart.locator('.u-over')
    /** Where the highest peak is on the screen, and in the values that the page has. */
    const findPeak = async () => {
      const highs = latest?.high ?? latest?.y ?? []
      const line = latest?.x[highs.indexOf(99)]
      const [box, { from, to }] = [await plot.boundingBox(), await range()]
      if (!box || line === undefined) throw new Error('The chart has no area, or no peak.')
      return { line, x: box.x + (box.width * (line - from)) / (to - from), y: box.y + box.height / 2 }
    }
    for (let { from, to } = await range(); to - from >= mostPoints / 4; { from, to } = await range()) {
      const { x, y } = await findPeak()
      await page.mouse.move(x - 8, y)
      await page.mouse.down()
      await page.mouse.move(x + 8, y, { steps: 4 })
      await page.mouse.up()
      await expect.poll(async () => (await range()).to).toBeLessThan(to)
      const zoomed = await range()
      const shown = Math.floor(zoomed.to) - Math.ceil(zoomed.from) + 1
      await expect(chart).toHaveAttribute('data-points', String(Math.min(shown, mostPoints)))
      await expect.poll(() => latest?.x.every((line) => line >= zoomed.from && line <= zoomed.to)).toBe(true)
    }
    // Each point is one value now.
    expect(latest?.low).toBeUndefined()
    const peak = await findPeak()
    expect(Math.abs(peak.line - highest)).toBeLessThan(1000)
    await page.mouse.move(peak.x, peak.y)
    await expect(chart).toHaveAttribute('aria-valuetext', /: 99$/)
    expect(Math.max(...sizes)).toBeLessThan(mostBytes)
  })
})

test.describe('a comparison', () => {
  let jobs: string[]
  test.beforeAll(async () => {
    jobs = await Promise.all([
      submit(person, training(2), configText({ name: 'first', tags: ['a'] }), { wait: true }),
      submit(person, training(4), configText({ name: 'second', tags: ['b'] }), { wait: true }),
    ])
  })

  for (const { width, colorScheme } of views) {
    test(`has curves, configs, metrics and programs at ${width} px, ${colorScheme}`, async ({ page }) => {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
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
      await expectNoSideScroll(page)
      await expectAccessible(page)
      await page.getByRole('switch', { name: 'Show equal keys' }).click()
      await expect(configs.getByRole('row', { name: /^expected_time/ })).toBeVisible()
      await page.getByRole('button', { name: 'Remove first from the comparison' }).click()
      await expect(page).toHaveURL(new RegExp(`ids=${jobs[1]}$`))
      await expect(page.getByRole('link', { name: 'second' })).toBeVisible()
    })
  }

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

    for (const { width, colorScheme } of views) {
      test(`lists the changed files and their lines at ${width} px, ${colorScheme}`, async ({ page }) => {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await page.goto(`/jobs/compare?ids=${directories.join(',')}`)
        const directory = page.getByRole('region', { name: 'Uploaded directory' })
        await expect(directory.getByRole('button')).toHaveText([/^new\.txt/, /^old\.txt/, /^src\/model\.py/])
        await directory.getByRole('button', { name: /src\/model\.py/ }).focus()
        await page.keyboard.press('Enter')
        await expect(directory.getByText(/removed: .*rate = 1/)).toBeVisible()
        await expect(directory.getByText(/added: .*rate = 2/)).toBeVisible()
        await expectNoSideScroll(page)
        await expectAccessible(page)
      })
    }
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

  test('says which jobs were not found, and shows the others', async ({ page }) => {
    const stranger = await createUser({ name: 'stranger' })
    const foreign = await submit(stranger, 'print(1)', configText(), { wait: true })
    await page.goto(`/jobs/compare?ids=${jobs[0]},${foreign},nonsense`)
    await expect(page.getByText(`You have no job with the id ${foreign}`)).toBeVisible()
    await expect(page.getByText('You have no job with the id nonsense')).toBeVisible()
    await expect(page.getByRole('link', { name: 'first' })).toBeVisible()
    await page.goto('/jobs/compare')
    await expect(page.getByText('No jobs to compare')).toBeVisible()
  })
})
