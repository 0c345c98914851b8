import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Parses the output of `nvidia-ctk --version`; null without a version. */
export function parseToolkitVersion(output: string): string | null {
  return /version\s+v?(\d+(?:\.\d+)+)/i.exec(output)?.[1] ?? null
}

/** Returns the version of the NVIDIA container toolkit on this host; null if it is not installed. */
export async function readToolkitVersion(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-ctk', ['--version'], { timeout: 5000 })
    return parseToolkitVersion(stdout)
  } catch {
    // Missing or unusable. worker/gpus checks the GPUs themselves.
    return null
  }
}
