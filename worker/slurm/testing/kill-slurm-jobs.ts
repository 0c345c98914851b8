import { readdir, readFile } from 'node:fs/promises'
import { endProcess } from '../../testing/end-process'

/**
 * Kills the jobs' processes of a test cluster: slurmstepd and what it started.
 * @param configFile the cluster's slurm.conf
 * @param chosen decides by a process's environment
 */
export async function killSlurmJobs(
  configFile: string,
  chosen: (variables: readonly string[]) => boolean,
): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    const variables = environment.split('\0')
    if (!variables.includes(`SLURM_CONF=${configFile}`) || !chosen(variables)) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')
    const isJob = variables.some((variable) => variable.startsWith('SLURM_JOB_ID='))
    if (isJob || command.startsWith('slurmstepd')) endProcess(Number(pid))
  }
}
