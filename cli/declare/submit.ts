import { type Command, Option } from 'commander'
import type { SubmitOptions } from '../commands/submit'
import { runLazily } from './run-lazily'
import type { RunOptions } from './run-options'
import { addText, addVariable, parseDuration, parseInteger, parseNumber } from './values'

const exits = `
Without --no-wait, gpuq prints the job's output live. Exit code: 0 if the job completed, the program's exit code if it
failed, 130 if the job was cancelled, otherwise 1.`

/** Commands that submit jobs. */
export function declareSubmit(program: Command): void {
  declareUpload(program)
  declareRun(program)
}

function declareUpload(program: Command): void {
  const command = program
    .command('submit')
    .description('upload a program and follow it until it ends')
    .argument('<solution>', 'Python program')
    .argument('[config]', 'its config.yaml (default: made from the options below)')
    .option('--competition <id>', 'competition of the job (default: "default")')
    .option('--expected-time <time>', 'expected run time: 300, 90s, 10m, 2h (default: 1h)', parseDuration)
    .option('--max-time <time>', 'time limit', parseDuration)
    .option('--cpu <cores>', 'CPU cores', parseNumber)
    .option('--memory <gb>', 'memory in GB', parseNumber)
    .option('--args <text>', 'arguments for the program, as one string')
    .option('--allowed-gpus <numbers>', 'allowed GPUs, such as 0-3,5')
    .option('--pool <pool>', 'reserved, on-demand or best-effort')
    .option('--tag <word>', 'tag; repeatable', addText)
    .option('--with-dir', "upload the program's directory; the job starts in a copy of it")
  addShared(command)
    .addHelpText('after', exits)
    .action((solution: string, config: string | undefined, options: SubmitOptions) =>
      runLazily(async (context) => {
        const { submit } = await import('../commands/submit')
        return submit(context, solution, config, options)
      }),
    )
}

function declareRun(program: Command): void {
  const command = program
    .command('run')
    .description('queue a command, or upload a directory and run a command in it')
    .argument(
      '<command...>',
      'command for /bin/sh (one string) or program with arguments; with --command, the directory',
    )
    .usage('[options] -- <command...>\n       gpuq run [options] --command <text> <directory>')
    .option('--command <text>', 'command to run in a copy of the directory, on each node')
    .option('--with-dir', 'upload the current directory and run the command in a copy of it')
    .option('--nodes <number>', 'number of nodes (needs a directory)', parseInteger)
    .option('--run-name <name>', 'name that is unique among active jobs of the project (needs a directory)')
    .option('--pool <pool>', 'reserved, on-demand or best-effort (needs a directory)')
    .option('--cpu <cores>', 'CPU cores (needs a directory)', parseNumber)
    .option('--memory <gb>', 'memory in GB; half of it holds the files (needs a directory)', parseNumber)
    .option('--fresh-nodes', 'start new nodes for this job only (needs a directory)')
    .option('--expected-time <time>', 'expected run time: 300, 90s, 10m, 2h', parseDuration)
    .option('--wait', 'with --command: follow the job until it ends')
    .passThroughOptions()
  addShared(command)
    .addHelpText(
      'after',
      `${exits}\nWith --command, gpuq returns when the job is queued, unless you give --wait.`,
    )
    .action((words: string[], options: RunOptions) =>
      runLazily(async (context) => {
        const { run } = await import('../commands/run')
        return run(context, words, options)
      }),
    )
}

/** Options that `submit` and `run` share. */
function addShared(command: Command): Command {
  return command
    .option('--project <id>', 'project (default: "default")')
    .option('--name <name>', 'name shown in lists')
    .option('--gpus <number>', 'number of GPUs; 0.5 is half a GPU', parseNumber)
    .option('--gpu-memory <gb>', 'minimum memory of each GPU in GB', parseNumber)
    .option('--gpu-model <name>', 'only GPUs whose model name contains this')
    .option('--priority <number>', 'higher numbers start first', parseInteger)
    .option('--environment <name>', 'container image to run in')
    .option('--retries <number>', 'retries after a system fault', parseInteger)
    .addOption(
      new Option('-e, --env <name=value>', 'environment variable; repeatable').argParser(addVariable),
    )
    .option('-t, --tty', 'give the job a terminal and attach to it; see `gpuq attach --help`')
    .option('--deduplicate', 'follow your identical active or completed job instead of queueing a new one')
    .option('--no-wait', 'print the job id and return immediately')
    .option('-q, --quiet', 'print only the output of the job')
    .option('--json', 'print JSON: the result, or with --no-wait the job id')
}
