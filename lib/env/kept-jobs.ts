import type { z } from 'zod'

interface Keeping {
  GPUQ_KEEP_JOBS: boolean
  GPUQ_ENGINE: string
  DATABASE_URL?: string | undefined
}

/**
 * Refuses to leave jobs running where another worker would take them for lost and start them a second time: it shares the
 * database, or Slurm gives the GPUs away.
 */
export function refuseKeptJobs(settings: Keeping, context: z.RefinementCtx): void {
  if (!settings.GPUQ_KEEP_JOBS) return
  const name =
    settings.DATABASE_URL !== undefined
      ? 'DATABASE_URL'
      : settings.GPUQ_ENGINE === 'slurm'
        ? 'GPUQ_ENGINE=slurm'
        : null
  if (name === null) return
  const message = `cannot be used with ${name}: jobs would be started a second time elsewhere. Remove one of them`
  context.addIssue({ code: 'custom', path: ['GPUQ_KEEP_JOBS'], message })
}
