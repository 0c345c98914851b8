import { exitCodes } from './job/exit-code'

/**
 * Sets the exit code 1 if the process ends before the work has settled. Node.js ends with 0 if nothing is left to wait for,
 * except at an `await` of the first file, which `gpuq` cannot have.
 */
export async function failUnlessSettled<Value>(work: Promise<Value>): Promise<Value> {
  const fail = () => {
    process.exitCode ??= exitCodes.failed
  }
  process.once('exit', fail)
  try {
    return await work
  } finally {
    process.off('exit', fail)
  }
}
