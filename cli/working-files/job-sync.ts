import { backoff } from '@/lib/async/backoff'
import { inParallel } from '@/lib/async/pool'
import { sleep } from '@/lib/async/sleep'
import { refusePath } from '@/lib/contract/archives/archive-paths'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'
import type { WorkingFile } from '@/lib/working-files/contract'
import { errorCode } from '../files'
import { isRuleFile } from '../received/kept-back'
import { describeRefusal, FileProblem } from '../received/path-below'
import { chooseAction, pathBeside, pathOfRank } from './choose-target'
import { observe, replaceFile } from './local-files'
import { readReturnRules } from './return-rules'
import type { SyncState } from './sync-state'

const defaultEveryMs = 1_000
const longestDelayMs = 15_000
/** How often the content of one version is requested, if it changes on its way or the local file changes meanwhile. */
const maxTries = 5

const fullDisk = ['ENOSPC', 'EDQUOT']

const downloadsAtOnce = 4

/** Failures in a row after which an interruption is reported. */
const reportedFailures = 3

/** A job must not decide what the next job is sent, such as a private file that a rule excludes now. */
const keptBack =
  "its rules decide what is sent from here, so the job's version does not return. Download it from the job's page"

/** A file of the job, and its path here. */
interface Target {
  file: WorkingFile
  path: string
}

interface SyncOptions {
  client: Pick<Client, 'jobs'>
  state: SyncState
  /** Saves the state after each change. */
  save: (state: SyncState) => Promise<void>
  /** Reports a file that was not written at its own path, and an interruption. */
  report: (message: string) => Promise<void> | void
  signal: AbortSignal
  /** The time between two requests for changes, in ms. */
  everyMs?: number
}

/** Brings the files that a job changes in its working directory back to the directory here. */
export class JobSync {
  readonly #reported = new Set<string>()

  constructor(readonly of: SyncOptions) {}

  /**
   * Follows the job until it has ended and all of its files are here, or until `signal` is aborted. Continues after a
   * broken connection.
   * @returns whether all files are here.
   * @throws ProblemError if the server refuses.
   */
  async run(): Promise<boolean> {
    const { signal, everyMs = defaultEveryMs } = this.of
    let failures = 0
    while (!signal.aborted) {
      let waitMs = everyMs
      try {
        const { more, ended } = await this.bringBack()
        failures = 0
        if (ended) return true
        if (more) continue
      } catch (error) {
        if (signal.aborted) return false
        if (!isTemporary(error)) throw error
        waitMs = backoff(++failures, everyMs, longestDelayMs)
        if (failures === reportedFailures) await this.of.report(`${describeFailure(error)} Retrying.`)
      }
      await sleep(waitMs, signal)
    }
    return false
  }

  /** Brings back the changes that the server knows of now. */
  async bringBack(): Promise<{ more: boolean; ended: boolean }> {
    const { client, state, save, signal } = this.of
    const { files, next, more, ended } = await client.jobs.workingFiles(
      state.jobId,
      { after: state.after },
      signal,
    )
    const returns = await readReturnRules(
      state.directory,
      files.map(({ path }) => path),
    )
    const returning: Target[] = []
    const owners = new Map(Object.entries(state.owners))
    for (const file of files) {
      const why = refusePath(file.path)
      if (why !== null) await this.#report(file.path, `its path ${why}`)
      else if (isRuleFile(file.path)) await this.#report(file.path, keptBack)
      else if (returns(file.path)) returning.push({ file, path: pathOfRank(file.path, file.rank, owners) })
    }
    state.owners = Object.fromEntries(owners)
    // Two ranks may write one path: then the order matters.
    const isUnique = new Set(returning.map(({ path }) => path)).size === returning.length
    await inParallel(
      returning,
      isUnique ? downloadsAtOnce : 1,
      (target) => this.#bringBackFile(target),
      signal,
    )
    if (files.length > 0) {
      state.after = next
      await save(state)
    }
    return { more, ended }
  }

  async #bringBackFile({ file, path }: Target): Promise<void> {
    const { state } = this.of
    try {
      if (await this.#write(path, file)) return
      const beside = pathBeside(path, state.jobId)
      const isKept = await this.#write(beside, file)
      await this.#report(
        path,
        isKept
          ? `it was changed here meanwhile, and stays as it is. The job's version is ${visibleText(beside, 300)}`
          : 'it was changed here meanwhile, and so was the copy of the job',
      )
    } catch (error) {
      const why = describeRefusal(error)
      if (why !== null) return this.#report(path, why)
      const code = errorCode(error)
      if (fullDisk.includes(code)) await this.#report(path, `it cannot be written: ${code}`)
      throw error
    }
  }

  /** Writes a file, or finds that it is there already. Returns false if somebody else changed the local file. */
  async #write(path: string, file: WorkingFile): Promise<boolean> {
    const { state, client, signal } = this.of
    for (let tries = 1; ; tries++) {
      const { local, stats } = await observe(state.directory, path)
      const action = chooseAction(local, state.returned[path] ?? state.shipped[path], file.sha256)
      if (action === 'write_beside') return false
      if (action === 'none') break
      const response = await client.jobs.workingFile(state.jobId, file.file_id, signal).catch(replacedOrLost)
      // A later version follows in the list.
      if (response === 'replaced') return true
      if (response === 'lost')
        throw new FileProblem('the storage of gpuq has lost its content. Tell your admin.')
      const parts = (response.body ?? []) as AsyncIterable<Uint8Array>
      if (await replaceFile(state.directory, path, stats, { ...file, parts })) break
      if (tries === maxTries) throw new FileProblem('it changes all the time, here or on its way.')
      await sleep(100, signal)
    }
    state.returned[path] = file.sha256
    return true
  }

  async #report(path: string, why: string): Promise<void> {
    const message = `${visibleText(path, 200)}: ${why}.`.replace(/\.\.$/, '.')
    if (this.#reported.has(message)) return
    this.#reported.add(message)
    await this.of.report(message)
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof ProblemError) return error.message
  if (fullDisk.includes(errorCode(error))) return 'The disk here is full.'
  return 'The connection to gpuq breaks off.'
}

/** Why a version has no content any more. */
function replacedOrLost(error: unknown): 'replaced' | 'lost' {
  if (error instanceof ProblemError && error.status === 404) return 'replaced'
  if (error instanceof ProblemError && error.status === 410) return 'lost'
  throw error
}

/** Broken connections and errors of the server are temporary. Other refusals are final. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ProblemError) return error.isTemporary
  if (fullDisk.includes(errorCode(error))) return true
  // What fetch throws when a body breaks off.
  return error instanceof TypeError || (error instanceof Error && error.name === 'AbortError')
}
