import { dirname, resolve } from 'node:path'
import type { Client } from '@/lib/http/client/client'
import { type StartLog, warnOnChange } from '../follow/start-log'
import { type Claim, decideForgotten, type MissingSince } from './claim-log'
import type { ClaimLogFile } from './claim-log-file'
import { type FileSnapshot, readFileSnapshot } from './file-snapshot'
import { forgetReturned, wasCancelledByUser } from './forget-returned'
import {
  type Bad,
  countNames,
  type FileLine,
  isBlankOrComment,
  type JobLine,
  type ReadLine,
  readLines,
  splitLines,
} from './jobs-file'
import type { FindScriptFiles } from './script-files'
import { type LineOptions, refuseScript, type SendResult, sendLine } from './send-line'

interface JobsWatchOptions {
  path: string
  client: Pick<Client, 'jobs'>
  claims: ClaimLogFile
  log: StartLog
  lines: LineOptions
  findFiles: FindScriptFiles
  /** A line is forgotten after it was missing this long. */
  forgetMs: number
  newKey(): string
  /** A monotonic clock, in milliseconds. */
  now(): number
}

interface Due {
  claim: Claim
  place: ReadLine
}

/**
 * A last line without a line break may be incomplete. It counts as complete if the file does not change for
 * this long.
 */
const tailCompleteMs = 60_000
const tailWarningMs = 10_000
/** More new lines than this are counted on the terminal instead of listed. The log file lists them all. */
const maxListed = 20
const progressEveryMs = 5_000

/** Polls a jobs file and submits each new line as a job. */
export class JobsWatch {
  readonly #warnFile: (text: string) => Promise<void>
  readonly #warnServer: (text: string) => Promise<void>
  #tailWarning = ''
  #badWarnings = new Map<string, number>()
  #tail = { version: '', since: 0 }
  #goneSince: MissingSince = new Map()
  /** Keys that the server rejected. They are sent again after a restart, or when the line changes. */
  readonly #refused = new Set<string>()

  constructor(readonly options: JobsWatchOptions) {
    this.#warnFile = warnOnChange(options.log)
    this.#warnServer = warnOnChange(options.log)
  }

  /**
   * Checks the file once. Resolves with the delay in milliseconds until the next check that is needed even
   * without a change, for example because the server accepts no more jobs. Null if no work is left.
   */
  async check(signal: AbortSignal): Promise<number | null> {
    const file = await readFileSnapshot(this.options.path)
    await this.#warnFile(describeProblem(this.options.path, file))
    if (file.kind !== 'read') return null
    const { lines, tail } = splitLines(file.bytes)
    const tailRests = this.#restsSince(file.version) >= tailCompleteMs
    const found = readLines(tail && tailRests ? [...lines, tail] : lines)
    const soon = await this.#reportTail(tailRests ? null : tail)
    const present = countNames(found.good)
    const badSaid = new Map<string, number>()
    await forgetReturned(this.options, present, this.#goneSince)
    const refused = await this.#claim(found.good, present)
    await this.#reportBad(
      [...found.bad, ...refused].toSorted((one, other) => one.number - other.number),
      badSaid,
    )
    const { bad, pauseMs } = await this.#sendAll(await this.#findDue(found.good), signal)
    await this.#reportBad(bad, badSaid)
    this.#badWarnings = badSaid
    await this.#forget(countNames(readLines(tail ? [...lines, tail] : lines).good))
    return pauseMs ?? soon
  }

  #restsSince(version: string): number {
    const now = this.options.now()
    if (this.#tail.version !== version) this.#tail = { version, since: now }
    return now - this.#tail.since
  }

  /** Records the claims before any line is sent, so that a restart sends them with the same keys. */
  async #claim(lines: readonly ReadLine[], present: ReadonlyMap<string, number>): Promise<Bad[]> {
    const { claims, newKey } = this.options
    const missing = (await claims.refresh()).missing(present)
    const bad = await this.#refuseScripts(
      lines,
      missing.map(({ line }) => line),
    )
    const names = new Set(bad.map(({ name }) => name))
    const newClaims = missing.filter(({ line }) => !names.has(line))
    await claims.append(newClaims.map((claim) => ({ account: claims.account, ...claim, key: newKey() })))
    return bad
  }

  async #refuseScripts(lines: readonly ReadLine[], wanted: readonly string[]) {
    const names = new Set(wanted)
    const bad: (Bad & { name: string })[] = []
    for (const { number, name, line } of lines) {
      const message = names.has(name) ? await refuseScript(this.#scriptOf(line)) : null
      if (message !== null) bad.push({ number, name, text: name, message })
    }
    return bad
  }

  /** The claims to send, in file order. */
  async #findDue(lines: readonly ReadLine[]): Promise<Due[]> {
    const record = await this.options.claims.refresh()
    const places = new Map(lines.map((line) => [line.name, line]))
    return [...places]
      .flatMap(([name, place]) => record.open(name).map((claim) => ({ claim, place })))
      .filter(({ claim }) => !this.#refused.has(claim.key))
  }

  /** Sends the lines one by one. Lines that cannot be sent now stay open. */
  async #sendAll(due: readonly Due[], signal: AbortSignal): Promise<{ bad: Bad[]; pauseMs: number | null }> {
    const { claims, log, now } = this.options
    const bad: Bad[] = []
    const counts = { queued: 0, known: 0, later: 0, bad: 0 }
    const listed = due.length <= maxListed
    if (!listed) await log.note(`Submitting ${due.length} new lines.`)
    let lastReport = now()
    for (const [at, { claim, place }] of due.entries()) {
      if (signal.aborted) break
      // Another watcher of the file may have sent it already.
      if (!(await claims.refresh()).isOpen(claim)) continue
      const sent = await this.#send(claim, place)
      counts[sent.kind] += 1
      if (sent.kind === 'later') {
        await this.#warnServer(sent.message)
        return { bad, pauseMs: sent.ms }
      }
      if (sent.kind === 'bad') {
        if (sent.forGood) this.#refused.add(claim.key)
        bad.push({ number: place.number, text: place.name, message: sent.message })
      } else {
        const text = `line ${place.number}: ${place.line.script} ${sent.message}`
        await (listed ? log.note(text) : log.detail(text))
      }
      if (!listed && now() - lastReport >= progressEveryMs) {
        lastReport = now()
        await log.note(`Submitted ${at + 1} of ${due.length} lines.`)
      }
    }
    if (!listed) {
      const refused = counts.bad > 0 ? `, ${counts.bad} skipped` : ''
      await log.note(`Submitted ${counts.queued} jobs, ${counts.known} already existed${refused}.`)
    }
    return { bad, pauseMs: null }
  }

  async #send(claim: Claim, { line }: ReadLine): Promise<SendResult> {
    const { client, claims, lines, findFiles } = this.options
    const { account } = claims
    const earlier = (await claims.refresh()).jobBeforeReset(claim)
    if (earlier !== null && (await wasCancelledByUser(client, earlier))) {
      await claims.append([{ account, line: claim.line, nth: claim.nth, job: earlier }])
      const message = `stays cancelled: job ${earlier}. Add the line again to run it`
      return { kind: 'known', job: earlier, message }
    }
    const sent = await sendLine(client, {
      line,
      script: this.#scriptOf(line),
      key: claim.key,
      options: lines,
      findFiles,
    })
    if (sent.kind === 'queued' || sent.kind === 'known') {
      await this.#warnServer('')
      await claims.append([{ account, line: claim.line, nth: claim.nth, job: sent.job }])
    }
    return sent
  }

  /** After a line was removed for long enough, the same line counts as new. */
  async #forget(present: ReadonlyMap<string, number>): Promise<void> {
    const { claims, now, forgetMs } = this.options
    const record = await claims.refresh()
    const { forget, since } = decideForgotten(record.gone(present), this.#goneSince, now(), forgetMs)
    this.#goneSince = since
    await claims.append(
      forget.map(({ line, times }) => ({
        account: claims.account,
        line,
        forgotten: record.forgottenAt(line, times),
      })),
    )
  }

  #scriptOf({ script }: JobLine): string {
    return resolve(dirname(this.options.path), script)
  }

  /**
   * Returns the delay in milliseconds until an incomplete line is checked again. Usually it is completed at
   * once, so the terminal shows the message only later.
   */
  async #reportTail(tail: FileLine | null): Promise<number | null> {
    if (tail === null || tail.text === null || isBlankOrComment(tail.text)) return null
    const { log, now } = this.options
    const restsMs = now() - this.#tail.since
    const late = restsMs >= tailWarningMs
    const text = `line ${tail.number} has no line break at its end and may be incomplete; it is submitted when the line break is added or the file is unchanged for a minute`
    const key = `${this.#tail.version} ${late}`
    if (this.#tailWarning !== key) await (late ? log.warn(text) : log.detail(text))
    this.#tailWarning = key
    return Math.max(1_000, (late ? tailCompleteMs : tailWarningMs) - restsMs)
  }

  /**
   * Reports each invalid line once, and again if the same line is added again. `seen` counts the lines of
   * this check.
   */
  async #reportBad(bad: readonly Bad[], seen: Map<string, number>): Promise<void> {
    for (const { number, text, message } of bad) {
      const key = `${text}\n${message}`
      const times = (seen.get(key) ?? 0) + 1
      seen.set(key, times)
      if (times > (this.#badWarnings.get(key) ?? 0)) {
        await this.options.log.warn(`line ${number} skipped: ${message}.`)
      }
    }
  }
}

function describeProblem(path: string, file: FileSnapshot): string {
  if (file.kind === 'missing') return `${path} not found. Waiting for it to be created.`
  return file.kind === 'unreadable' ? `Cannot read ${path}: ${file.message}. Retrying.` : ''
}
