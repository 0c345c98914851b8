import type { Command } from 'commander'
import { configOption, lazily } from './command'
import { addMount, addText, addVariable, parseDuration, parseInteger, parseNumber } from './values'

const exits = `
Without --no-wait, gpuq prints the job's output live. Exit code: 0 if the job completed, the program's exit code if it
failed, 130 if the job was cancelled, otherwise 1.`
const pools = 'reserved, on-demand or best-effort'
const timeExample = '300, 90s, 10m, 2h'

/** Commands that submit jobs. */
export function declareSubmit(program: Command): void {
  const submit = program
    .command('submit')
    .description('upload a program and follow it until it ends')
    .argument('<solution>', 'Python program, or a directory with solution.py, main.py or run.sh')
    .argument('[config]', 'its config.yaml (default: made from the options below)')
    .addOption(
      configOption('competition_id', '--competition <id>', 'competition of the job (default: "default")'),
    )
    .addOption(expectedTime(`${timeExample} (default: 1h)`))
    .addOption(configOption('max_time', '--max-time <time>', 'time limit', parseDuration))
    .addOption(configOption('cpu', '--cpu <cores>', 'CPU cores', parseNumber))
    .addOption(configOption('memory_gb', '--memory <gb>', 'memory in GB', parseNumber))
    .addOption(
      configOption('entrypoint', '--entrypoint <file>', 'file of the directory to run, such as src/train.py'),
    )
    .addOption(configOption('args', '--args <text>', 'arguments for the program, as one string'))
    .addOption(configOption('allowed_gpus', '--allowed-gpus <numbers>', 'allowed GPUs, such as 0-3,5'))
    .addOption(configOption('pool', '--pool <pool>', pools))
    .addOption(configOption('tags', '--tag <word>', 'tag; repeatable', addText))
    .option('--with-dir', "upload the program's directory; the job starts in a copy of it")
  addShared(submit)
    .addHelpText('after', exits)
    .action(lazily(async () => (await import('../commands/submit')).submit))
  const run = program
    .command('run')
    .description('queue a command, or upload a directory and run a command in it')
    .argument(
      '<command...>',
      'command for /bin/sh (one string) or program with arguments; with --command, the directory',
    )
    .usage('[options] -- <command...>\n       gpuq run [options] --command <text> <directory>')
    .addOption(
      configOption('command', '--command <text>', 'command to run in a copy of the directory, on each node'),
    )
    .option('--with-dir', 'upload the current directory and run the command in a copy of it')
    .option('--sync', 'run the command in the current directory: same path, and changed files return live')
    .addOption(needsDirectory('instance_count', '--nodes <number>', 'number of nodes', parseInteger))
    .addOption(
      needsDirectory(
        'run_name',
        '--run-name <name>',
        'name of the run, which keeps its checkpoints; one of its jobs is active at a time',
      ),
    )
    .addOption(needsDirectory('pool', '--pool <pool>', pools))
    .addOption(needsDirectory('cpu', '--cpu <cores>', 'CPU cores', parseNumber))
    .addOption(
      needsDirectory('memory_gb', '--memory <gb>', 'memory in GB; half of it holds the files', parseNumber),
    )
    .addOption(needsDirectory('fresh_nodes', '--fresh-nodes', 'start new nodes for this job only'))
    .addOption(expectedTime(timeExample))
    .option('--wait', 'with --command: follow the job until it ends')
    .passThroughOptions()
  const alsoReturns = 'With --command, gpuq returns when the job is queued, unless you give --wait.'
  addShared(run)
    .addHelpText('after', `${exits}\n${alsoReturns}`)
    .action(lazily(async () => (await import('../commands/run/run')).run))
}

function expectedTime(examples: string) {
  return configOption(
    'expected_time',
    '--expected-time <time>',
    `expected run time: ${examples}`,
    parseDuration,
  )
}

/** An option of `run` that the queue API does not have. */
function needsDirectory<Value>(...[key, flags, description, parse]: Parameters<typeof configOption<Value>>) {
  return configOption(key, flags, `${description} (needs a directory)`, parse)
}

/** Options that `submit` and `run` share. */
function addShared(command: Command): Command {
  return command
    .addOption(configOption('project_id', '--project <id>', 'project (default: "default")'))
    .addOption(configOption('name', '--name <name>', 'name shown in lists'))
    .option('--gpus <number>', 'number of GPUs; 0.5 is half a GPU', parseNumber)
    .addOption(
      configOption('gpu_memory_gb', '--gpu-memory <gb>', 'minimum memory of each GPU in GB', parseNumber),
    )
    .addOption(configOption('gpu_model', '--gpu-model <name>', 'only GPUs whose model name contains this'))
    .addOption(
      configOption(
        'depends_on',
        '--depends-on <job>',
        'id of a job that must complete before this one starts; repeatable',
        addText,
      ),
    )
    .addOption(configOption('priority', '--priority <number>', 'higher numbers start first', parseInteger))
    .addOption(
      configOption(
        'archive',
        '--archive <snapshot>',
        'snapshot in a copy of which the job starts, such as code@3',
      ),
    )
    .addOption(configOption('environment', '--environment <name>', 'container image to run in'))
    .addOption(
      configOption('max_retries', '--retries <number>', 'retries after a system fault', parseInteger),
    )
    .addOption(
      configOption(
        'mounts',
        '--mount <path=snapshot>',
        'snapshot that the job can read at this path; repeatable',
        addMount,
      ),
    )
    .addOption(configOption('env', '-e, --env <name=value>', 'environment variable; repeatable', addVariable))
    .addOption(
      configOption('tty', '-t, --tty', 'give the job a terminal and attach to it; see `gpuq attach --help`'),
    )
    .option('--deduplicate', 'follow your identical active or completed job instead of queueing a new one')
    .option('--dry-run', 'only say what would happen: nothing is queued, and no directory is sent')
    .option('--no-wait', 'print the job id and return immediately')
    .option('-q, --quiet', 'print only the output of the job')
    .option('--json', 'print JSON: the result, or with --no-wait the job id')
}
