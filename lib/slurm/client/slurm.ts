import { userInfo } from 'node:os'
import type { Env } from '../../env'
import { CommandClient } from './commands'
import { RestClient } from './rest'
import { RestConnection } from './rest-connection'
import { RestToken } from './rest-token'
import type { SlurmClient } from './slurm-client'

type SlurmSettings = Pick<Env, 'GPUQ_SLURM_URL' | 'GPUQ_SLURM_TOKEN_COMMAND' | 'GPUQ_SLURM_USER'>

/**
 * The transport that the settings name: slurmrestd if GPUQ_SLURM_URL is set, the commands of this machine otherwise.
 * @param env replaces the environment of this process for commands
 * @throws if slurmrestd has no command for a token
 */
export function slurmClient(settings: SlurmSettings, env: NodeJS.ProcessEnv = process.env): SlurmClient {
  const { GPUQ_SLURM_URL: url, GPUQ_SLURM_TOKEN_COMMAND: command, GPUQ_SLURM_USER: user } = settings
  if (url === undefined) return new CommandClient(env)
  if (command === undefined)
    throw new Error(
      'GPUQ_SLURM_URL needs GPUQ_SLURM_TOKEN_COMMAND, such as `scontrol token lifespan=3600`, which prints a token for slurmrestd.',
    )
  return new RestClient(new RestConnection(url, user ?? userInfo().username, new RestToken(command, env)))
}
