import type { Command } from 'commander'
import type { RunOptions, RunWays } from '../commands/run/run'
import { addConfigOptions, lazily } from './command'
import { parseNumber } from './values'

const exits = `
Without --no-wait, gpuq prints the job's output live. Exit code: 0 if the job completed, the program's exit code if it
failed, 130 if the job was cancelled, otherwise 1.`

/**
 * Commands that submit jobs.
 * @param ways what features add to `gpuq run`.
 */
export function declareSubmit(program: Command, ways: RunWays): void {
  const submit = program
    .command('submit')
    .description('upload a program and follow it until it ends')
    .argument(
      '<solution>',
      'Python program, a directory with solution.py, main.py or run.sh, or a config.yaml with a command',
    )
    .argument('[config]', 'its config.yaml (default: made from the options below)')
    .option('--with-dir', "upload the program's directory; the job starts in a copy of it")
  addConfigOptions(submit, 'submit')
  addShared(submit)
    .addHelpText('after', exits)
    .action(lazily(async () => (await import('../commands/submit')).submit))
  const run = program
    .command('run')
    .description('queue a command, or upload a directory and run a command in it')
    .argument(
      '[command...]',
      'command for /bin/sh (one string) or program with arguments; with --command, the directory',
    )
    .usage('[options] -- <command...>\n       gpuq run [options] --command <text> <directory>')
    .option('--with-dir', 'upload the current directory and run the command in a copy of it')
    .passThroughOptions()
  if (ways.sync) {
    const description = 'run the command in the current directory: same path, and changed files return live'
    run.option('--sync', description)
  }
  run.option('--wait', 'with --command: follow the job until it ends')
  const alsoReturns = 'With --command, gpuq returns when the job is queued, unless you give --wait.'
  addConfigOptions(run, 'run')
  addShared(run)
    .addHelpText('after', `${exits}\n${alsoReturns}`)
    .action(
      lazily(async () => {
        const { run } = await import('../commands/run/run')
        return (context, words: readonly string[], options: RunOptions) => run(context, words, options, ways)
      }),
    )
}

/** Options that `submit` and `run` share, besides those for the keys of the config. */
function addShared(command: Command): Command {
  return command
    .option('--gpus <number>', 'number of GPUs; 0.5 is half a GPU', parseNumber)
    .option('--deduplicate', 'follow your identical active or completed job instead of queueing a new one')
    .option('--dry-run', 'only say what would happen: nothing is queued, and no directory is sent')
    .option('--no-wait', 'print the job id and return immediately')
    .option('-q, --quiet', 'print only the output of the job')
    .option('--json', 'print JSON: the result, or with --no-wait the job id')
}
