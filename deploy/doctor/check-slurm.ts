import type { Env } from '@/lib/env'
import type { NodeCheck } from '@/lib/node-checks/contract'
import type { Judgement } from '@/worker/node-checks/judgement'
import * as rules from './judge-slurm'
import { readDirectory, readIdentity, readSlurm, readWorkers } from './slurm-facts'

/**
 * Checks this host and the Slurm cluster for the engine `slurm`. Changes nothing and submits nothing.
 * @param unixUser the account to try with GPUQ_SLURM_IDENTITY=user; null: none
 */
export async function checkSlurm(settings: Env, unixUser: string | null): Promise<NodeCheck[]> {
  const check = (id: string, title: string, judgement: Judgement): NodeCheck => ({ id, title, ...judgement })
  const {
    GPUQ_SLURM_IDENTITY: identity,
    GPUQ_SLURM_DIRECTORY: directory,
    GPUQ_SLURM_POLL_S: pollS,
    GPUQ_SLURM_URL: url,
  } = settings
  const slurm = await readSlurm(settings)
  const usesSudo = identity === 'user' && url === undefined && unixUser !== null
  const problem = usesSudo ? await readIdentity(unixUser) : null
  const ofHost = [
    check(
      'slurm_directory',
      'Directory for batch scripts',
      rules.judgeDirectory(directory, await readDirectory(directory)),
    ),
    check('slurm_identity', 'Owner of the Slurm jobs', rules.judgeIdentity(identity, unixUser, problem)),
  ]
  if ('problem' in slurm)
    return [check('slurm', 'Slurm', rules.judgeUnreachable(slurm.problem, url !== undefined)), ...ofHost]
  const { version, accounting, nodes, config } = slurm
  const age = Number.parseInt(config?.get('MinJobAge') ?? '', 10)
  return [
    check('slurm', 'Slurm', rules.judgeVersion(version)),
    check(
      'slurm_accounting',
      'Accounting of Slurm',
      rules.judgeAccounting(accounting, Number.isNaN(age) ? null : age),
    ),
    check('slurm_min_job_age', 'Memory of ended jobs', rules.judgeMinJobAge(config, accounting, pollS)),
    check('slurm_gpus', 'GPUs in Slurm', rules.judgeGres(config, nodes)),
    check(
      'slurm_shards',
      'Parts of GPUs in Slurm',
      rules.judgeShards(config, settings.GPUQ_SLURM_SHARDS_PER_GPU),
    ),
    check('slurm_workers', 'Workers on the Slurm nodes', rules.judgeWorkers(nodes, await readWorkers())),
    check('slurm_cgroups', 'cgroups of Slurm', rules.judgeCgroups(config)),
    ...ofHost,
  ]
}
