import { CommanderError } from 'commander'
import { exitCodes } from './job/exit-code'
import { createProgram } from './program'

/** `gpuq … | head` closes the pipe early. That is not an error. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
  })
}

try {
  await createProgram().parseAsync()
} catch (error) {
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
