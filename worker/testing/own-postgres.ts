import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@/lib/database/embedded'
import { migrate } from '@/lib/database/migrate'
import { until } from './until'

/** A PostgreSQL of one scenario's own, to be restarted and killed. It keeps its data, as a real one does. */
export class OwnPostgres {
  private constructor(
    private readonly directory: string,
    private running: Awaited<ReturnType<typeof startEmbedded>>,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const directory = await mkdtemp(join(tmpdir(), 'gpuq-postgres-'))
    const running = await startEmbedded(directory)
    await migrate(running.url)
    return new OwnPostgres(directory, running)
  }

  get url(): string {
    return this.running.url
  }

  /** Ends it as an administrator does: every connection is closed, and what was not committed is undone. */
  stop(): Promise<void> {
    return this.running.stop()
  }

  /** `kill -9`: only what was committed is in the log on disk. */
  async kill(): Promise<void> {
    const [pid = ''] = (await readFile(join(this.directory, 'postgres', 'postmaster.pid'), 'utf8')).split(
      '\n',
    )
    process.kill(Number(pid), 'SIGKILL')
  }

  /** Starts it again. Right after a kill its old processes may still be ending. */
  async startAgain(): Promise<void> {
    this.running = await until('PostgreSQL starts again', () =>
      startEmbedded(this.directory).catch(() => null),
    )
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.directory, { recursive: true, force: true })
  }
}
