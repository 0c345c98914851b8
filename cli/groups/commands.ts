import { Argument, type Command, Option } from 'commander'
import { addConfigOptions, jsonFlag, lazily } from '../declare/command'
import type { ConfigOption } from '../declare/config-options'
import { addText, parseCount, parseInteger, parseNumber } from '../declare/values'

const groupIdHelp = 'id of the group, or the start of it'

const aboutSweep = `
Values of --param: lr=0.1,0.01 (a list), seed=1..5 or width=0..100:25 (numbers with a step), and for a random search with --samples:
lr=log_uniform(0.0001,0.1) or dropout=uniform(0,0.5). {lr} in the command becomes the value. The program also finds it in
GPUQ_PARAM_LR, and all of them as JSON in GPUQ_PARAMS. Example:
  gpuq sweep --with-dir --param lr=0.1,0.01 --param seed=1..5 --parallel 8 -- python train.py --lr {lr} --seed {seed}
Without --no-wait, gpuq waits until all members have ended. Exit code: 0 if all completed, 130 if the group was cancelled,
otherwise 1.`

const aboutGroup = `
members: a table of all members; best: the member with the best objective; wait: wait until all have ended; csv: all members with
their parameters and metrics; download: the result files and artifacts of all members, a directory for each; cancel: cancel what waits and runs, and start no other; rerun-failed: run the members again that
failed, each as a new job; extend: add members, such as --samples 100 for a random search that has 50.`

/** The short form of a group, as in Slurm. */
const array: ConfigOption = {
  flags: '--array <numbers>',
  value: 'text',
  submit:
    'one job for each number: 0-99, 0-9:3 or 0-99%8, where 8 wait or run at once; GPUQ_ARRAY_INDEX is the number',
  needsDirectory: false,
}

/** Commands for groups of jobs. */
export function declareGroups(program: Command): void {
  const submit = program.commands.find((command) => command.name() === 'submit')
  if (submit) addConfigOptions(submit, 'submit', { array })
  const sweep = program
    .command('sweep')
    .description('run a command once for each combination of parameters')
    .argument('<command...>', 'command for /bin/sh (one string) or program with arguments')
    .usage('[options] --param <name=values> -- <command...>')
    .requiredOption('-p, --param <name=values>', 'values of a parameter; repeatable', addText)
    .option('--parallel <number>', 'members that wait or run at once (default: 8)', parseCount)
    .option('--repeat <number>', 'run each combination so often, with GPUQ_REPEAT from 0', parseCount)
    .option('--samples <number>', 'random search: so many combinations', parseCount)
    .option('--seed <number>', 'the same seed makes the same random search', parseInteger)
    .option('--objective <mode:metric>', 'metric that tells the best member, such as min:val_loss')
    .option('--with-dir', 'upload the current directory and run the command in a copy of it')
    .passThroughOptions()
  addConfigOptions(sweep, 'run')
  sweep
    .option('--gpus <number>', 'number of GPUs of each member; 0.5 is half a GPU', parseNumber)
    .option('--dry-run', 'only say what would happen: nothing is queued, and no directory is sent')
    .option('--no-wait', 'print the id of the group and return immediately')
    .option('-q, --quiet', 'print only the id of the group')
    .option(...jsonFlag)
    .addHelpText('after', aboutSweep)
    .action(lazily(async () => (await import('./sweep')).sweep))
  program
    .command('groups')
    .description('list your groups of jobs, newest first')
    .option('--limit <number>', 'maximum number of groups', parseCount, 20)
    .option('--all', 'groups of all users (admins only)')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./groups')).groups))
  program
    .command('group')
    .description('show a group of jobs, or do something with it')
    .argument('<id>', groupIdHelp)
    .addArgument(
      new Argument('[action]', 'what to do')
        .choices(['show', 'members', 'best', 'wait', 'csv', 'download', 'cancel', 'rerun-failed', 'extend'])
        .default('show'),
    )
    .addOption(
      new Option('--status <status>', 'with members: only those in this status').choices([
        'held',
        'paused',
        'pending',
        'running',
        'completed',
        'failed',
        'cancelled',
      ]),
    )
    .option('--samples <number>', 'with extend: combinations of a random search afterwards', parseCount)
    .option('--repeat <number>', 'with extend: how often each combination runs afterwards', parseCount)
    .option(
      '-o, --output <path>',
      'with download: a new directory, or a file that ends with .tar (default: a directory with the id as its name)',
    )
    .option(...jsonFlag)
    .addHelpText('after', aboutGroup)
    .action(lazily(async () => (await import('./groups')).group))
}
