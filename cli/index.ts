import { CommanderError } from 'commander'
import { exitCodes } from './job/exit-code'
import { createProgram } from './program'

/** `gpuq … | head` is no failure: the reader had enough. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed)
  })
}

try {
  await createProgram().parseAsync()
} catch (error) {
  // Commander has said what is wrong, and ends well after --help and --version.
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  else {
    const { describeError: tellError } = await import('./terminal/describe-error')
    const { text, exitCode } = tellError(error, null)
    process.stderr.write(text)
    process.exitCode = exitCode
  }
}
