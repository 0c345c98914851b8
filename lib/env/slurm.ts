import { z } from 'zod'
import { count } from './limits'

/** The environment variables for Slurm as the engine. Part of `envSchema`. */
export const slurmVariables = {
  GPUQ_ENGINE: z
    .enum(['builtin', 'slurm'])
    .default('builtin')
    .describe(
      'who decides where and when jobs run: gpuq itself, or an existing Slurm cluster; the same for the web server and all workers',
    ),
  GPUQ_SLURM_URL: z
    .url()
    .optional()
    .describe(
      'address of slurmrestd; unset: the commands of this machine (sbatch, squeue, scancel, scontrol)',
    ),
  GPUQ_SLURM_TOKEN_COMMAND: z
    .string()
    .optional()
    .describe(
      'with GPUQ_SLURM_URL: shell command that prints a token, such as `scontrol token lifespan=3600`',
    ),
  GPUQ_SLURM_USER: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]*$/)
    .optional()
    .describe('with GPUQ_SLURM_URL: the user of the token; unset: the user of the worker'),
  GPUQ_SLURM_IDENTITY: z
    .enum(['service', 'user'])
    .default('service')
    .describe(
      "who owns the Slurm jobs: the account of the worker, or the Unix account of each job's owner (needs sudo)",
    ),
  GPUQ_SLURM_ADMIN: z
    .stringbool()
    .default(false)
    .describe(
      'whether admins can drain and resume Slurm nodes in gpuq; the Slurm user of the workers must be an operator of Slurm; the same for the web server and all workers',
    ),
  GPUQ_SLURM_POLL_S: count
    .min(1)
    .default(2)
    .describe('seconds between two questions to Slurm for the state of all jobs'),
  GPUQ_SLURM_SHARDS_PER_GPU: count
    .max(1000)
    .default(0)
    .describe('shards of each GPU in gres.conf, for jobs with gpu_fraction; 0: Slurm has no shards'),
  GPUQ_SLURM_DIRECTORY: z
    .string()
    .default('/run/gpuq')
    .describe('directory where the worker of a Slurm node tells batch scripts how to reach it'),
}
