import { type Browser, chromium } from '@playwright/test'
import { ensureBrowser } from '@/deploy/checks/programs/browser.mjs'
import config from '../../playwright.config'

/** Starts the browser of the tests. Installs it if it is missing. */
export async function launchBrowser(progress: (note: string) => void): Promise<Browser> {
  const executablePath = await ensureBrowser({ progress })
  return chromium.launch({ ...config.use?.launchOptions, executablePath })
}
