import { expect, type Locator, type Page } from '@playwright/test'
import type { JobMetrics, MetricSeries } from '@/lib/metrics/contract'

/** The chart of a metric with more values than a screen has pixels. Two values are far from all others. */

/** Where the two values are, from 0 at the first line to 1 at the last. */
const [lowest, highest] = [0.271829, 0.614322]
const mostPoints = 800
const mostBytes = 128 * 1024
/** Only ends a test that hangs: job, server and browser handle 64 MB for a million values, perhaps on a busy machine. */
const loadTimeoutMs = 600_000

const lineOf = (place: number, count: number) => Math.floor(place * count)

/** Python code that prints the values. Its lines are as short as possible, so that a million records stay below the output limit. */
export const printManyPoints = (count: number) => `
values = [str(3 + line % 5) for line in range(${count})]
values[${lineOf(lowest, count)} - 1], values[${lineOf(highest, count)} - 1] = "-99", "99"
for start in range(0, ${count}, 10_000):
    print("\\n".join('{"v":%s}' % value for value in values[start:start + 10_000]), flush=True)
`

/** What the page has loaded of the metric. */
interface Loaded {
  latest?: MetricSeries
  /** Size of the largest answer. */
  bytes: number
}

export interface ManyPoints {
  count: number
  chart: Locator
  loaded: Loaded
}

/** Opens the chart, and expects that it has few points, with the extremes. */
export async function openManyPoints(page: Page, jobId: string, count: number): Promise<ManyPoints> {
  const loaded = followAnswers(page, jobId)
  await page.goto(`/jobs/${jobId}?tab=metrics`)
  await expect(page.getByText('1 metric', { exact: true })).toBeVisible({ timeout: loadTimeoutMs })
  // A line that a stalled machine cuts in two is no metric.
  const almost = (count - 1).toLocaleString('en').replace(/\d\d$/, '\\d\\d')
  const chart = page.getByRole('slider', {
    name: new RegExp(`^v over line, (${almost}|${count.toLocaleString('en')}) values$`),
  })
  await expect(chart).toBeVisible()
  await expect(chart).toHaveAttribute('data-points', String(mostPoints))
  expect(loaded.latest?.x).toHaveLength(mostPoints)
  expect(Math.min(...(loaded.latest?.low ?? []).map(Number))).toBe(-99)
  expect(Math.max(...(loaded.latest?.high ?? []).map(Number))).toBe(99)
  return { count, chart, loaded }
}

function followAnswers(page: Page, jobId: string): Loaded {
  const loaded: Loaded = { bytes: 0 }
  page.on('response', async (response) => {
    // Not those of the small curves beside the tabs.
    if (!response.url().includes(`/api/jobs/${jobId}/metrics?names=v`)) return
    const text = await response.text().catch(() => '')
    loaded.bytes = Math.max(loaded.bytes, text.length)
    const [series] = text === '' ? [] : (JSON.parse(text) as JobMetrics).series
    if (series) loaded.latest = series
  })
  return loaded
}

/** Expects that both peaks are drawn, far from the line of the means. */
export async function expectPeaksDrawn({ chart }: ManyPoints): Promise<void> {
  const [low, high] = [await drawnRows(chart, lowest), await drawnRows(chart, highest)]
  const mean = await drawnRows(chart, 0.1)
  expect(Math.max(...low) - Math.max(...mean)).toBeGreaterThan(0.3)
  expect(Math.min(...mean) - Math.min(...high)).toBeGreaterThan(0.3)
}

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

async function rangeOf({ chart }: ManyPoints): Promise<{ from: number; to: number }> {
  const read = async (name: string) => Number(await chart.getAttribute(name))
  return { from: await read('aria-valuemin'), to: await read('aria-valuemax') }
}

/** Whether the chart shows so much that a point may be several values. */
export async function isThinned(points: ManyPoints): Promise<boolean> {
  const { from, to } = await rangeOf(points)
  return to - from >= mostPoints / 4
}

/** Where the highest peak is on the screen, and in the values that the page has. */
async function findPeak(points: ManyPoints) {
  const { latest } = points.loaded
  const highs = latest?.high ?? latest?.y ?? []
  const line = latest?.x[highs.indexOf(99)]
  const [box, { from, to }] = [await points.chart.locator('.u-over').boundingBox(), await rangeOf(points)]
  if (!box || line === undefined) throw new Error('The chart has no area, or no peak.')
  return { line, x: box.x + (box.width * (line - from)) / (to - from), y: box.y + box.height / 2 }
}

/** Drags the mouse over the highest peak, and waits for the points of the new range. */
export async function zoomToPeak(page: Page, points: ManyPoints): Promise<void> {
  const { chart, loaded } = points
  const [{ to }, { x, y }] = [await rangeOf(points), await findPeak(points)]
  await page.mouse.move(x - 8, y)
  await page.mouse.down()
  await page.mouse.move(x + 8, y, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => (await rangeOf(points)).to).toBeLessThan(to)
  const zoomed = await rangeOf(points)
  const shown = Math.floor(zoomed.to) - Math.ceil(zoomed.from) + 1
  await expect(chart).toHaveAttribute('data-points', String(Math.min(shown, mostPoints)))
  await expect
    .poll(() => loaded.latest?.x.every((line) => line >= zoomed.from && line <= zoomed.to))
    .toBe(true)
}

/** Expects that each point is one value, that the keyboard and the mouse read the peak, and that no answer was large. */
export async function expectValues(page: Page, points: ManyPoints): Promise<void> {
  const { chart, count, loaded } = points
  expect(loaded.latest?.low).toBeUndefined()
  const peak = await findPeak(points)
  expect(Math.abs(peak.line - lineOf(highest, count))).toBeLessThan(count / 1000)
  await page.mouse.move(peak.x, peak.y)
  await expect(chart).toHaveAttribute('aria-valuetext', /: 99$/)
  expect(loaded.bytes).toBeLessThan(mostBytes)
}
