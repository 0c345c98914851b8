import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fake nvidia-smi in a directory that a test uses as its PATH. */
export class FakeNvidiaSmi {
  private constructor(readonly directory: string) {}

  static async make(): Promise<FakeNvidiaSmi> {
    return new FakeNvidiaSmi(await mkdtemp(join(tmpdir(), 'gpuq-nvidia-smi-')))
  }

  /** Sets the shell script that it runs. */
  async runs(script: string): Promise<void> {
    const path = join(this.directory, 'nvidia-smi')
    // A running program cannot be overwritten.
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
