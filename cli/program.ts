import { Argument, Command } from 'commander'
import { version } from '../package.json'
import { declareAgentTokens } from './agent-tokens/commands'
import { declareAgents } from './agents/commands'
import { declareArtifacts } from './artifacts/commands'
import { declareBackup } from './backup/commands'
import { declareBuckets } from './buckets/commands'
import { declareBudgets } from './budgets/commands'
import { declareCompetitions } from './competitions/commands'
import { declareAccount } from './declare/account'
import { declareCluster } from './declare/cluster'
import { completionScript, type Shell, shells } from './declare/completion'
import { declareJobs } from './declare/jobs'
import { nameParsers } from './declare/option-names'
import { declareSubmit } from './declare/submit'
import { declareExperiments } from './experiments/commands'
import { declareGroups } from './groups/commands'
import { declareNodeChecks } from './node-checks/commands'
import { declareStart } from './one-machine/commands'
import { declareMultihostJob } from './provisioning/commands'
import { declareSlurm } from './slurm/commands'
import { declareSnapshots } from './snapshots/commands'
import { declareSync } from './working-files/commands'

const about = `
gpuq uses the server and token of \`gpuq login\`. The variables GPUQ_SERVER and GPUQ_TOKEN override them.
The command line and the browser show the same queue.`

/** The complete command line. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('gpuq')
    .description('Submit and manage jobs of a gpuq server.')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('Run `gpuq --help`, or a command with --help.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'gpuq: ')) })
    .exitOverride()
    .addHelpText('after', about)
  declareSubmit(program, { sync: async () => (await import('./working-files/run-synced')).runSynced })
  declareMultihostJob(program)
  declareStart(program)
  declareJobs(program)
  declareGroups(program)
  declareBudgets(program)
  declareExperiments(program)
  declareArtifacts(program)
  declareSync(program)
  declareAgents(program)
  declareCluster(program)
  declareNodeChecks(program)
  declareSlurm(program)
  declareSnapshots(program)
  declareCompetitions(program)
  declareAccount(program)
  declareAgentTokens(program)
  declareBuckets(program)
  declareBackup(program)
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell))
    })
  nameParsers(program)
  return program
}
