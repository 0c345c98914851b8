import { existsSync } from 'node:fs'
import { defineConfig, devices } from '@playwright/test'

/** The browser without a window needs less CPU time. */
const debianBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** CHROMIUM_PATH, otherwise Debian's browser, otherwise the browser that Playwright has installed. */
const executablePath = process.env.CHROMIUM_PATH || debianBrowsers.find(existsSync)

/** The browser runs as root in a container, offline, and without its own background work. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The release suite repeats what `npm test` shows once. */
const isRelease = process.env.GPUQ_TEST_MATRIX === 'release'

/** Flows whose pages differ on a phone. In `npm test` they are used in a wide window, and their states are checked at each width. */
const flowsOnPhone = [
  'artifacts',
  'command-palette',
  'docs',
  'file-viewers',
  'job-failure',
  'job-labels',
  'job-metrics',
  'job-search',
  'main-flow',
  'notifications',
]

export default defineConfig({
  testDir: 'e2e',
  // Vitest runs the unit tests of the soak.
  testMatch: '**/*.spec.ts',
  // The release suite adds the tests that repeat a guarantee.
  testIgnore: isRelease ? [] : '**/*.release.spec.ts',
  outputDir: 'test-results/failures',
  globalSetup: './e2e/system/global-setup.ts',
  workers: 2,
  // `npm test` lists the tests that passed only when repeated. A developer sees each failure.
  retries: process.env.CI ? 1 : 0,
  // For machines that are slow and busy at once: nothing here waits longer than what it waits for.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1280, height: 800 },
    launchOptions: { args, ...(executablePath ? { executablePath } : {}) },
    // Recording takes CPU time, so where failed tests are repeated, only the repetition is recorded. Screenshots are off,
    // because they take most of that time.
    trace: { mode: process.env.CI ? 'on-first-retry' : 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
  },
  projects: [
    { name: 'desktop' },
    {
      name: 'narrow',
      testMatch: (isRelease ? flowsOnPhone : ['main-flow']).map((flow) => `**/${flow}.spec.ts`),
      use: { viewport: { width: 390, height: 844 }, colorScheme: isRelease ? 'dark' : 'light' },
    },
  ],
})
