import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@/worker/testing/until'

/** A pseudo-terminal, created by `script`, which every Linux has. */
export class PseudoTerminal {
  /** All output so far. */
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

  /** Runs a command in a terminal with 100 columns and 30 rows. */
  static async open(words: string[], env: Record<string, string>): Promise<PseudoTerminal> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-terminal-'))
    // The size can only be changed from inside: write the request to a file.
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

  /** Waits until the output contains the text. */
  async shows(text: string, { timeout = 60_000 }: { timeout?: number } = {}): Promise<void> {
    await until(`the terminal shows ${JSON.stringify(text)}`, () => this.output.includes(text), {
      withinMs: timeout,
      details: () => this.output,
    })
  }

  /** Closes the terminal window. */
  close(): void {
    this.child.kill('SIGHUP')
  }
}
