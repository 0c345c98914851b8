/**
 * `npm run pictures`: takes the pictures of README and docs from a running system with realistic data, light and dark.
 * The GPUs are simulated, and the pictures say so. The containers are real.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import config from '../../playwright.config'
import { waitForHydration } from '../hydration'
import { editorOf, outputOf } from '../job-page'
import { signIn } from '../sign-in'
import { startSystem } from '../system/start-system'
import { announceSystem } from '../system/the-system'
import { type Scene, setScene } from './scene'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'images')
const viewport = { width: 1280, height: 800 }

interface Picture {
  name: string
  open: (page: Page, scene: Scene) => Promise<void>
}

async function go(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await waitForHydration(page)
}

const pictures: Picture[] = [
  {
    name: 'job',
    async open(page, { runningJob }) {
      await go(page, `/jobs/${runningJob}`)
      await outputOf(page).getByText('epoch  12').first().waitFor({ timeout: 120_000 })
    },
  },
  {
    name: 'jobs',
    async open(page) {
      await go(page, '/jobs')
      await page.getByRole('link', { name: 'ResNet-50, learning rate 0.1' }).waitFor()
    },
  },
  {
    name: 'compare',
    async open(page, { comparableJobs }) {
      await go(page, `/jobs/compare?ids=${comparableJobs.join(',')}`)
      // The value beside the chart appears with its curve.
      await page.getByText('epoch 30').first().waitFor()
    },
  },
  {
    name: 'cluster',
    async open(page) {
      await go(page, '/cluster')
      await page.getByRole('table', { name: 'Waiting jobs' }).waitFor()
    },
  },
  {
    name: 'submit',
    async open(page) {
      await go(page, '/submit')
      await editorOf(page, 'solution.py').waitFor()
    },
  },
]

async function take(browser: Browser, url: string, scene: Scene): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      baseURL: url,
      viewport,
      colorScheme,
      reducedMotion: 'reduce',
    })
    await signIn(context, scene.viewer)
    for (const { name, open } of pictures) {
      const page = await context.newPage()
      await open(page, scene)
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' })
      console.log(`docs/images/${name}-${colorScheme}.png`)
      await page.close()
    }
    await context.close()
  }
}

const system = await startSystem({ workers: 2, simulatedGpus: 4, nodeNames: ['gpu-01', 'gpu-02'] })
const interrupted = () => system.stop().finally(() => process.exit(130))
process.once('SIGINT', interrupted)
try {
  announceSystem(system)
  const scene = await setScene(system)
  const browser = await chromium.launch(config.use?.launchOptions)
  try {
    await mkdir(folder, { recursive: true })
    await take(browser, system.url, scene)
  } finally {
    await browser.close()
  }
} finally {
  process.off('SIGINT', interrupted)
  await system.stop()
}
process.exit()
