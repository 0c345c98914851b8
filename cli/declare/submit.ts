import { type Command, Option } from 'commander'
import type { SubmitOptions } from '../commands/submit'
import { runLazily } from './run-lazily'
import type { RunOptions } from './run-options'
import { addText, addVariable, parseDuration, parseInteger, parseNumber } from './values'

const exits = `
Without --no-wait, what the job prints comes as it is printed, and gpuq ends as the job does: with 0 when it completed,
with the program's exit code when that failed, with 130 when it was cancelled, else with 1.`

/** The commands that make jobs. */
export function declareSubmit(program: Command): void {
  declareUpload(program)
  declareRun(program)
}

function declareUpload(program: Command): void {
  const command = program
    .command('submit')
    .description('upload a program, and follow it to its end')
    .argument('<solution>', 'the Python program')
    .argument('[config]', 'its config.yaml; left out: the options below say what it holds')
    .option('--competition <id>', 'what the job is for (default: "default")')
    .option('--expected-time <time>', 'how long it will run: 300, 90s, 10m, 2h (default: 1h)', parseDuration)
    .option('--max-time <time>', 'when it is stopped', parseDuration)
    .option('--cpu <cores>', 'CPU cores', parseNumber)
    .option('--memory <gb>', 'memory', parseNumber)
    .option('--args <text>', 'arguments for the program, as one text')
    .option('--allowed-gpus <numbers>', 'the only GPUs it may use, such as 0-3,5')
    .option('--pool <pool>', 'reserved, on-demand or best-effort')
    .option('--tag <word>', 'a word to find it by; may be given again', addText)
    .option('--with-dir', "ship the program's directory, which the job starts in a copy of")
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
    .description('queue a command; with --command, ship a directory and run it there')
    .argument(
      '<command...>',
      'run by /bin/sh: one text as it is, several words as they are; or the directory',
    )
    .usage('[options] -- <command...>\n       gpuq run [options] --command <text> <directory>')
    .option('--command <text>', 'what runs in a copy of the directory, on each node')
    .option('--with-dir', 'ship the current directory, and run the command in a copy of it')
    .option('--nodes <number>', 'with a directory: on how many nodes at once', parseInteger)
    .option('--run-name <name>', 'with a directory: what no other live job of the project is called')
    .option('--pool <pool>', 'with a directory: reserved, on-demand or best-effort')
    .option('--cpu <cores>', 'with a directory: CPU cores', parseNumber)
    .option('--memory <gb>', 'with a directory: memory; half of it is for the files', parseNumber)
    .option('--fresh-nodes', 'with a directory: on nodes that are brought up for it alone')
    .option('--expected-time <time>', 'how long it will run: 300, 90s, 10m, 2h', parseDuration)
    .option('--wait', 'with --command: follow it to its end')
    .passThroughOptions()
  addShared(command)
    .addHelpText(
      'after',
      `${exits}\nWith --command, it returns once the job is queued, unless --wait is given.`,
    )
    .action((words: string[], options: RunOptions) =>
      runLazily(async (context) => {
        const { run } = await import('../commands/run')
        return run(context, words, options)
      }),
    )
}

/** What files and commands may both ask for. */
function addShared(command: Command): Command {
  return command
    .option('--project <id>', 'the project it belongs to (default: "default")')
    .option('--name <name>', 'a name for lists')
    .option('--gpus <number>', 'how many GPUs; 0.5 is half of one', parseNumber)
    .option('--gpu-memory <gb>', 'memory each GPU must have', parseNumber)
    .option('--gpu-model <name>', "only GPUs whose model's name holds this")
    .option('--priority <number>', 'a higher number goes first', parseInteger)
    .option('--environment <name>', 'the image it runs in')
    .option('--retries <number>', 'how often it is tried again after a fault of the system', parseInteger)
    .addOption(
      new Option('-e, --env <name=value>', 'a variable for it; may be given again').argParser(addVariable),
    )
    .option('-t, --tty', 'give it a terminal, and put that on yours; see `gpuq attach --help`')
    .option('--deduplicate', 'queue nothing where your same job is alive or has completed: follow that one')
    .option('--no-wait', 'print the id of the job, and end at once')
    .option('-q, --quiet', 'say nothing but what the job prints')
    .option('--json', 'print JSON: its result at the end, or with --no-wait its id at once')
}
