import { Argument, Command } from 'commander'
import { version } from '../package.json'
import { declareAccount } from './declare/account'
import { declareAttach } from './declare/attach'
import { declareCluster } from './declare/cluster'
import { completionScript, type Shell, shells } from './declare/completion'
import { declareJobs } from './declare/jobs'
import { declareStart } from './declare/start'
import { declareSubmit } from './declare/submit'
import { declareWorker } from './declare/worker'

const about = `
The server and the token are those of \`gpuq login\`, or of the variables GPUQ_SERVER and GPUQ_TOKEN, which win.
The queue is the same as in the browser.`

/** All that gpuq understands. It throws where it would end the process. */
export function createProgram(): Command {
  const program = new Command('gpuq')
    .description('A GPU job queue, from a terminal.')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .showHelpAfterError('See `gpuq --help`, or --help after a command.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'gpuq: ')) })
    .exitOverride()
    .addHelpText('after', about)
  declareSubmit(program)
  declareStart(program)
  declareJobs(program)
  declareAttach(program)
  declareCluster(program)
  declareWorker(program)
  declareAccount(program)
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'for which one').choices(shells))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell))
    })
  return program
}
