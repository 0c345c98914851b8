/** Finds or installs Podman for the tests of the container runtime. */
import { findProgram, installPackages, mayInstall } from '../../engine/debian.mjs'

/** Podman's init, and the program that starts its containers on every version of cgroups. */
const packages = ['podman', 'catatonit', 'runc']

/**
 * @param {{ progress: (note: string) => void }} options
 * @returns {Promise<string>} its path
 */
export async function ensurePodman({ progress }) {
  const isMissing = packages.some((name) => findProgram(name) === null)
  if (isMissing && mayInstall()) await installPackages(packages, progress)
  const path = findProgram('podman')
  if (path !== null) return path
  throw new Error(
    `The tests of the container runtime need Podman: sudo apt-get install -y ${packages.join(' ')}`,
  )
}
