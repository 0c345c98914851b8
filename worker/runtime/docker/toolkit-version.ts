import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The version in the output of `nvidia-ctk --version`, or null where there is none. */
export function parseToolkitVersion(output: string): string | null {
  return /version\s+v?(\d+(?:\.\d+)+)/i.exec(output)?.[1] ?? null
}

/** The NVIDIA container toolkit's version on this host, or null where it is not installed. */
export async function readToolkitVersion(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-ctk', ['--version'], { timeout: 5000 })
    return parseToolkitVersion(stdout)
  } catch {
    // Not there, or not able to say: the devices themselves are looked at in worker/gpus.
    return null
  }
}
