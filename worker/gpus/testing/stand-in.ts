import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program in nvidia-smi's place: alone in a directory that a test puts on its PATH. */
export class NvidiaSmiStandIn {
  private constructor(readonly directory: string) {}

  static async make(): Promise<NvidiaSmiStandIn> {
    return new NvidiaSmiStandIn(await mkdtemp(join(tmpdir(), 'gpuq-nvidia-smi-')))
  }

  /** Answers with a script of the shell from now on. */
  async runs(script: string): Promise<void> {
    const path = join(this.directory, 'nvidia-smi')
    // A program that is being run cannot be written to.
    await writeFile(`${path}.new`, `#!/bin/sh\n${script}\n`)
    await chmod(`${path}.new`, 0o755)
    await rename(`${path}.new`, path)
  }

  /** Answers the query with `lines`, and `-L` with `list`. */
  async prints(lines: readonly string[], list: readonly string[] = []): Promise<void> {
    const say = (texts: readonly string[]) => texts.map((text) => `echo '${text}'`).join('\n') || ':'
    await this.runs(`if [ "$1" = -L ]; then\n${say(list)}\nelse\n${say(lines)}\nfi`)
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true })
  }
}
