import { findProgram, installPackages, mayInstall } from '@/deploy/engine/debian.mjs'

/** Installs the packages of a program that this machine does not have. @throws if this process may not install. */
export async function ensureProgram(program: string, packages: string[]): Promise<void> {
  if (findProgram(program)) return
  await install(packages, program)
}

/** Installs packages. `what` names what they are for. @throws if this process may not. */
export async function install(packages: string[], what: string): Promise<void> {
  if (!mayInstall()) {
    throw new Error(`This test needs ${what}. Install it: sudo apt-get install -y ${packages.join(' ')}`)
  }
  await installPackages(packages, () => {})
}
