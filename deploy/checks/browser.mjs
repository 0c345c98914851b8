/** Makes sure there is a browser for the browser tests. */
import { existsSync } from 'node:fs'
import { findProgram, installPackages, mayInstall } from '../engine/debian.mjs'

/** The one without a window comes first: it has the same engine and needs two thirds of the processor's time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
]

function findBrowser() {
  for (const name of names) {
    const path = findProgram(name)
    if (path) return path
  }
  return null
}

/**
 * @param {{ progress: (note: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function ensureBrowser({ progress }) {
  const given = process.env.CHROMIUM_PATH
  if (given && !existsSync(given)) throw new Error(`CHROMIUM_PATH is ${given}, and there is no such file.`)
  let path = given || findBrowser()
  if (!path && mayInstall()) {
    // Debian alone has the first.
    await installPackages(['chromium-headless-shell'], progress).catch(() =>
      installPackages(['chromium'], progress),
    )
    path = findBrowser()
  }
  if (path) return path
  throw new Error(
    [
      'The browser tests need Chromium or Chrome. One of these helps:',
      '  on Debian:        sudo apt-get install -y chromium',
      '  on Ubuntu:        sudo snap install chromium',
      '  anywhere else:    install Chrome, and set CHROMIUM_PATH to its program',
    ].join('\n'),
  )
}
