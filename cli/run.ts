import { exitCodes } from './job/exit-code'
import { createProgram } from './program'
import { failUnlessSettled } from './unsettled'

/** Runs the command that the user typed, and sets the exit code. */
export async function run(): Promise<void> {
  try {
    await failUnlessSettled(createProgram().parseAsync())
  } catch (error) {
    const { CommanderError } = await import('commander')
    // Commander has already printed the error. It also throws after --help and --version.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    else {
      const { describeError } = await import('./console/describe-error')
      const { text, exitCode } = describeError(error, null)
      process.stderr.write(text)
      process.exitCode = exitCode
    }
  }
}
