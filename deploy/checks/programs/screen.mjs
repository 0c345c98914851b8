/** Finds or installs GNU Screen for the tests of `gpuq start --screen`. */
import { findProgram, installPackages, mayInstall } from '../../engine/debian.mjs'

/**
 * @param {{ progress: (note: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function ensureScreen({ progress }) {
  if (findProgram('screen') === null && mayInstall()) await installPackages(['screen'], progress)
  const path = findProgram('screen')
  if (path !== null) return path
  throw new Error('The tests of `gpuq start` need GNU Screen: sudo apt-get install -y screen')
}
