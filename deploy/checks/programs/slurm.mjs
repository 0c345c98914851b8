/** Finds or installs Slurm for the tests of the engine `slurm`. The tests start it, with simulated GPUs. */
import { findProgram, installPackages, mayInstall } from '../../engine/debian.mjs'

/** A program of each package that the tests need. Debian starts none of them as a service here. */
const programs = {
  slurmctld: 'slurm-wlm',
  slurmd: 'slurm-wlm',
  munged: 'munge',
  slurmrestd: 'slurmrestd',
  slurmdbd: 'slurmdbd',
  mariadbd: 'mariadb-server',
  sudo: 'sudo',
}
/** A plugin without a program: tokens for slurmrestd. It comes with the program of that name. */
const plugin = 'slurm-wlm-jwt-plugin'

/**
 * @param {{ progress: (note: string) => void }} options
 * @returns {Promise<string>} the path of slurmctld
 */
export async function ensureSlurm({ progress }) {
  const packages = () =>
    Object.entries(programs)
      .filter(([program]) => findProgram(program) === null)
      .map(([, name]) => name)
  if (packages().length > 0 && mayInstall())
    await installPackages([...new Set([...packages(), plugin])], progress)
  const missing = [...new Set(packages())]
  const path = findProgram('slurmctld')
  if (missing.length === 0 && path !== null) return path
  throw new Error(`The tests of Slurm need: sudo apt-get install -y ${[...missing, plugin].join(' ')}`)
}
