import { chmod, constants, type FileHandle, mkdir, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/output/printed-output'
import { RankLabels } from '@/lib/contract/output/rank-labels'
import { errorCode } from '../files'
import { idAsName } from '../received/path-below'
import type { JobSink } from './job-sink'

/** In a directory of all users, another user may have put a link in the place of the file. */
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW

/** Writes a job's output to a file of its own. Each attempt has one. */
export class JobLogFile implements JobSink {
  #file: FileHandle | null = null
  #path = ''
  /** Bytes that an earlier `gpuq start` has written already. */
  #skip = 0
  #labels = new RankLabels()

  /** @param warn is called with a problem, and with an empty text when there is none. */
  constructor(
    readonly directory: string,
    readonly warn: (text: string) => Promise<void>,
  ) {}

  async started(job: JobDetail): Promise<void> {
    this.#path = join(this.directory, fileName(job))
    this.#labels = new RankLabels()
    await this.#guard(async () => {
      await makeDirectory(this.directory)
      this.#file = await open(this.#path, flags, 0o600)
      this.#skip = (await this.#file.stat()).size
    })
  }

  async write({ text, rank }: Printed): Promise<void> {
    const file = this.#file
    if (file === null) return
    const bytes = Buffer.from(rank === null ? text : this.#labels.label(rank, text))
    const rest = bytes.subarray(this.#skip)
    this.#skip -= bytes.length - rest.length
    if (rest.length > 0) await this.#guard(() => file.appendFile(rest))
  }

  async ended(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close()
  }

  /** A full disk must not stop the queue. What is missing is written by the next `gpuq start` while the job runs. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      await this.warn('')
    } catch (error) {
      await this.ended()
      await this.warn(
        `Cannot write ${this.#path} (${errorCode(error)}). Free its disk, or choose another directory with --log-dir.`,
      )
    }
  }
}

/** Creates a private directory; directly in /tmp one that all users of the machine can use, as /tmp itself. */
async function makeDirectory(path: string): Promise<void> {
  const isNew = (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined
  if (isNew && dirname(path) === tmpdir()) await chmod(path, 0o1777)
}

/** `job_ID_20260131_235959.log`, with the local time at which the job started. @throws FileProblem if the id is not a UUID. */
export function fileName({ job_id, started_at, attempt }: JobDetail): string {
  const at = new Date(started_at ?? 0)
  const digits = (number: number) => String(number).padStart(2, '0')
  const day = `${at.getFullYear()}${digits(at.getMonth() + 1)}${digits(at.getDate())}`
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(digits).join('')
  const retry = attempt > 1 ? `_attempt${attempt}` : ''
  return `job_${idAsName(job_id)}_${day}_${time}${retry}.log`
}
