import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'

/** A terminal as a person has one, made by `script`, which every Linux has; what runs in it sees no difference. */
export class PseudoTerminal {
  /** All that was written to it. */
  output = ''
  readonly ended: Promise<number | null>

  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
    })
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        rm(directory, { recursive: true, force: true }).then(() => resolve(code), reject)
      })
    })
  }

  /** Runs words in one of 100 columns and 30 rows. */
  static async open(words: string[], env: Record<string, string>): Promise<PseudoTerminal> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-terminal-'))
    // Its size is its own affair: a request to change it comes in a file.
    const resizer = `while [ -d "$D" ]; do if [ -s "$D/size" ]; then stty $(cat "$D/size") < "$T"; : > "$D/size"; fi; sleep 0.05; done`
    const command = `stty cols 100 rows 30; T=$(tty); (${resizer}) & exec "$@"`
    const quoted = [command, 'sh', ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const child = spawn('script', ['-qec', `sh -c ${quoted}`, '/dev/null'], {
      env: {
        PATH: process.env.PATH ?? '',
        TERM: 'xterm',
        NODE_ENV: 'production',
        SHELL: '/bin/sh',
        D: directory,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    return new PseudoTerminal(child, directory)
  }

  type(keys: string): void {
    this.child.stdin?.write(keys)
  }

  async resize(columns: number, rows: number): Promise<void> {
    await writeFile(join(this.directory, 'size'), `cols ${columns} rows ${rows}`)
  }

  /** Waits until something was written to it. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.output).toContain(text)
  }

  /** The window is closed on it. */
  close(): void {
    this.child.kill('SIGHUP')
  }
}
