import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { Lab } from './lab'
import { until } from './until'

const root = resolve(import.meta.dirname, '../..')

/** The web server of a lab, as `npm run build` makes it, to be killed and started again. */
export class WebProcess {
  private child: ChildProcess | undefined
  private text = ''

  private constructor(
    private readonly port: number,
    private readonly dataDir: string,
    private readonly databaseUrl: string,
    private readonly variables: Record<string, string>,
  ) {}

  static async start(
    lab: Lab,
    databaseUrl: string,
    variables: Record<string, string> = {},
  ): Promise<WebProcess> {
    const dataDir = join(lab.directory, 'web')
    await mkdir(dataDir)
    await symlink(lab.resultsDirectory, join(dataDir, 'results'))
    await symlink(lab.blobsDirectory, join(dataDir, 'blobs'))
    const web = new WebProcess(await freePort(), dataDir, databaseUrl, variables)
    lab.afterwards(() => web.kill())
    await web.startAgain()
    return web
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** All that it has logged, in all its lives. */
  get log(): string {
    return this.text
  }

  async startAgain(): Promise<void> {
    const child = spawn(process.execPath, ['dist/web.js'], {
      cwd: root,
      env: {
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATABASE_URL: this.databaseUrl,
        GPUQ_DATA_DIR: this.dataDir,
        GPUQ_SECRET: 'a secret of the tests, long enough',
        GPUQ_URL: this.url,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        ...this.variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.text += piece
      })
    }
    this.child = child
    const isReady = async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok === true
    await until('the web server is ready; it needs "npm run build"', isReady, { details: () => this.text })
  }

  /** `kill -9`, and waits until it is gone. */
  async kill(): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
