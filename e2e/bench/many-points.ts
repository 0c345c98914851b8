import {
  expectPeaksDrawn,
  expectValues,
  isThinned,
  openManyPoints,
  printManyPoints,
  zoomToPeak,
} from '../pages/many-points'
import type { System } from '../system/start-system'
import { launchBrowser } from './browser'
import { call, upload } from './client'
import { untilEnded } from './first-output'
import { type Figures, figuresOf } from './measure'
import { addSession } from './output'

const count = 1_000_000

interface ManyPointsFigures {
  /** From the request for the page until the chart has its points. */
  chart: Figures
  /** From the beginning of a zoom until the chart has the points of the new range. */
  zoom: Figures
  /** The largest answer with points. */
  bytes: number
}

/**
 * Measures the page of a job's metrics with a million values in Chromium. The chart must keep the extremes, and a zoom must load
 * the values themselves.
 */
export async function benchManyPoints(
  system: System,
  rounds: number,
  progress: (note: string) => void,
): Promise<ManyPointsFigures> {
  const [url, request] = upload(system, printManyPoints(count))
  const { status, body } = await call(url, request)
  if (status !== 202) throw new Error(`submit answered ${status}: ${body}`)
  const jobId = (JSON.parse(body) as { job_id: string }).job_id
  await untilEnded(system, jobId)
  const browser = await launchBrowser(progress)
  const [charts, zooms]: [number[], number[]] = [[], []]
  let bytes = 0
  try {
    const context = await browser.newContext({ baseURL: system.url, viewport: { width: 1280, height: 800 } })
    await addSession(context, system)
    // The first round is not measured: the server reads the million lines, and the browser compiles the page.
    for (let round = 0; round <= rounds; round++) {
      const page = await context.newPage()
      const openedMs = performance.now()
      const points = await openManyPoints(page, jobId, count)
      const chartMs = performance.now() - openedMs
      await expectPeaksDrawn(points)
      while (await isThinned(points)) {
        const zoomedMs = performance.now()
        await zoomToPeak(page, points)
        if (round > 0) zooms.push(performance.now() - zoomedMs)
      }
      await expectValues(page, points)
      if (round > 0) charts.push(chartMs)
      bytes = Math.max(bytes, points.loaded.bytes)
      await page.close()
    }
    return { chart: figuresOf(charts), zoom: figuresOf(zooms), bytes }
  } finally {
    await browser.close()
  }
}
