import { version } from '../package.json'
import { exitCodes } from './job/exit-code'

/** `gpuq … | head` closes the pipe early. That is not an error. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
  })
}

const [, , first, ...others] = process.argv
// Scripts ask for it often, and it needs no command.
if ((first === '--version' || first === '-V') && others.length === 0) process.stdout.write(`${version}\n`)
else await run()

async function run(): Promise<void> {
  const { createProgram } = await import('./program')
  try {
    await createProgram().parseAsync()
  } catch (error) {
    const { CommanderError } = await import('commander')
    // Commander has already printed the error. It also throws after --help and --version.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    else {
      const { describeError } = await import('./terminal/describe-error')
      const { text, exitCode } = describeError(error, null)
      process.stderr.write(text)
      process.exitCode = exitCode
    }
  }
}
