import { type Command, Option } from 'commander'
import { jobColumnNames, sortKeys } from '@/lib/contract/job-columns'
import { uploadStatuses } from '@/lib/contract/status'
import { jobIdHelp, jsonFlag, lazily, lazilyOfJob } from './command'
import { parseCount, parseInteger } from './values'

const aboutAttach = `
The terminal shows the job's output. If the job was submitted with --tty or "tty: true", your keys go to the job.
Ctrl-A d detaches and leaves the job running, as in GNU Screen. Ctrl-A a sends Ctrl-A. You can attach again from any
machine, and several times at once. The exit code is the job's, or 0 if you detach. In a pipe, gpuq prints the output.`

const aboutSearch = `
A job must meet all terms of the search. Write it in single quotes, because the shell reads < and > itself:
  status:failed,cancelled    tag:"the best"    user:ada (admins)    project:vision    competition:cifar10
  environment:python    is:starred    metric.loss<0.2    run_time>1h    wait>10m    gpu_hours>8    age<7d
Any other word finds jobs that have a word beginning with it in their name, competition, tags or note, or an id
ending with it.`

/** Commands for existing jobs. */
export function declareJobs(program: Command): void {
  program
    .command('jobs')
    .description('list and search your jobs, newest first')
    .argument('[query...]', "a search, such as: 'status:failed tag:baseline metric.loss<0.2 text'")
    .addOption(new Option('--status <status>', 'filter by status').choices(uploadStatuses))
    .option('--competition <id>', 'filter by competition')
    .option('--project <id>', 'filter by project')
    .option('--tag <word>', 'filter by tag')
    .option('--starred', 'only jobs with a star')
    .option('--sort <key>', `${sortKeys.join(', ')} or metric.NAME; -KEY: the largest first`)
    .option('--columns <names>', `id, name, reason, ${jobColumnNames.join(', ')} or metric.NAME, with commas`)
    .option('--limit <number>', 'maximum number of jobs', parseCount, 20)
    .option('--all', 'jobs of all users (admins only)')
    .option(...jsonFlag)
    .addHelpText('after', aboutSearch)
    .action(lazily(async () => (await import('../commands/jobs')).jobs))
  program
    .command('status')
    .description('show a job, or the cluster and its queue')
    .argument('[id]', jobIdHelp)
    .option('-w, --watch', 'update the display until you press Ctrl-C')
    .option(...jsonFlag)
    .action(lazilyOfJob(async () => (await import('../commands/status')).status))
  program
    .command('why')
    .description('say why a job failed: the cause, the place in the code, and what to change')
    .argument('<id>', jobIdHelp)
    .option(...jsonFlag)
    .action(lazilyOfJob(async () => (await import('../commands/why')).why))
  program
    .command('wait')
    .description('wait for jobs to end; exit with the code of the first job that did not complete')
    .argument('<id...>', jobIdHelp)
    .option(...jsonFlag)
    .action(lazilyOfJob(async () => (await import('../commands/wait')).wait))
  program
    .command('cancel')
    .description('cancel waiting or running jobs')
    .argument('<id...>', jobIdHelp)
    .action(lazilyOfJob(async () => (await import('../commands/wait')).cancel))
  program
    .command('hold')
    .description('do not let waiting jobs start until they are released')
    .argument('<id...>', jobIdHelp)
    .action(lazilyOfJob(async () => (await import('../commands/wait')).hold))
  program
    .command('release')
    .description('let held jobs start')
    .argument('<id...>', jobIdHelp)
    .action(lazilyOfJob(async () => (await import('../commands/wait')).release))
  declareOutput(program)
  declareTerminals(program)
}

function declareOutput(program: Command): void {
  program
    .command('logs')
    .description("print a job's output: its stdout to stdout, its stderr to stderr")
    .argument('<id>', jobIdHelp)
    .option('-f, --follow', "follow the output until the job ends; exit with the job's exit code")
    .option('--rank <number>', 'only this task of a multi-node job, without labels', parseInteger)
    .option('--raw', 'print control characters as they are (your own jobs only)')
    .addHelpText('after', aboutLogs)
    .action(lazilyOfJob(async () => (await import('../commands/logs')).logs))
  program
    .command('results')
    .description("print a job's result file (JSON Lines)")
    .argument('<id>', jobIdHelp)
    .option('-o, --output <file>', 'write to this file')
    .option('--json', 'print the summary from the API as JSON')
    .action(lazilyOfJob(async () => (await import('../commands/logs')).results))
}

const aboutLogs = `
A job cannot control your terminal: control characters other than colours, tabs and those of progress bars are shown as codes, such as
\\u001b. In a pipe or a file, the output of your own jobs is exact. For another user's job, see gpuq results ID -o FILE.`

function declareTerminals(program: Command): void {
  const rankHelp = 'task of a multi-node job; without a terminal, print only its output'
  program
    .command('attach')
    .description('connect your terminal to a running job; detach with Ctrl-A d')
    .argument('<id>', jobIdHelp)
    .option('--escape <key>', 'escape key instead of Ctrl-A, such as ^b; none: all keys go to the job')
    .option('--rank <number>', rankHelp, parseInteger)
    .addHelpText('after', aboutAttach)
    .action(lazilyOfJob(async () => (await import('../commands/attach')).attach))
  program
    .command('screens')
    .description('list running jobs, their terminals and their sessions of GNU Screen')
    .option('--all', 'jobs of all users (admins only)')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/attach')).screens))
}
