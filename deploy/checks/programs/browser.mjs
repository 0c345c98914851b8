/** Finds or installs a browser for the browser tests. */
import { existsSync } from 'node:fs'
import { findProgram, installPackages, mayInstall } from '../../engine/debian.mjs'

/** The headless shell comes first: it has the same engine and needs two thirds of the CPU time. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
]

const findBrowser = () => names.map(findProgram).find((path) => path !== null)

/**
 * @param {{ progress: (note: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function ensureBrowser({ progress }) {
  const given = process.env.CHROMIUM_PATH
  if (given && !existsSync(given)) throw new Error(`CHROMIUM_PATH is ${given}, but this file does not exist.`)
  let path = given || findBrowser()
  if (!path && mayInstall()) {
    // Only Debian has the headless shell.
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
