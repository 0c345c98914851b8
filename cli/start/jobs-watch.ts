import { dirname, resolve } from 'node:path'
import type { Client } from '@/lib/http/client/client'
import { decideForgotten, type GoneSince, type Take } from './claim-log'
import type { ClaimLogFile } from './claim-log-file'
import { type FileLine, isBlankOrComment, type JobLine, splitLines } from './jobs-file'
import { type LineOptions, refuseScript } from './line-config'
import { type Bad, countNames, type ReadLine, readLines } from './read-lines'
import { readWhole, type WholeFile } from './read-whole'
import { type Sent, sendLine } from './send-line'
import type { StartLog } from './start-log'

export interface JobsWatchOptions {
  path: string
  client: Pick<Client, 'jobs'>
  taken: ClaimLogFile
  journal: StartLog
  lines: LineOptions
  /** A line is forgotten after it was missing this long. */
  forgetMs: number
  newKey(): string
  /** A monotonic clock, in milliseconds. */
  now(): number
}

interface Due {
  take: Take
  place: ReadLine
}

/**
 * A last line without a line break may be incomplete. It counts as complete if the file does not change for
 * this long.
 */
const tailRestsMs = 60_000
const tailIsLateMs = 10_000
/** More new lines than this are counted on the terminal instead of listed. The log file lists them all. */
const mostListed = 20
const progressEveryMs = 5_000

/** Polls a jobs file and submits each new line as a job. */
export class JobsWatch {
  #fileSaid = ''
  #serverSaid = ''
  #tailSaid = ''
  #badSaid = new Map<string, number>()
  #tail = { version: '', since: 0 }
  #goneSince: GoneSince = new Map()
  /** Keys that the server rejected. They are sent again after a restart, or when the line changes. */
  readonly #refused = new Set<string>()

  constructor(readonly options: JobsWatchOptions) {}

  /**
   * Checks the file once. Resolves with the delay in milliseconds until the next check that is needed even
   * without a change, for example because the server accepts no more jobs. Null if no work is left.
   */
  async look(signal: AbortSignal): Promise<number | null> {
    const file = await readWhole(this.options.path)
    await this.#sayState(file)
    if (file.kind !== 'read') return null
    const { lines, tail } = splitLines(file.bytes)
    const tailRests = this.#restsSince(file.version) >= tailRestsMs
    const found = readLines(tail && tailRests ? [...lines, tail] : lines)
    const soon = await this.#sayTail(tailRests ? null : tail)
    const present = countNames(found.good)
    const badSaid = new Map<string, number>()
    const refused = await this.#take(found.good, present)
    await this.#sayBad(
      [...found.bad, ...refused].toSorted((one, other) => one.number - other.number),
      badSaid,
    )
    const { bad, pauseMs } = await this.#sendAll(await this.#findDue(found.good), signal)
    await this.#sayBad(bad, badSaid)
    this.#badSaid = badSaid
    await this.#forget(countNames(readLines(tail ? [...lines, tail] : lines).good))
    return pauseMs ?? soon
  }

  #restsSince(version: string): number {
    const now = this.options.now()
    if (this.#tail.version !== version) this.#tail = { version, since: now }
    return now - this.#tail.since
  }

  /** Records the claims before any line is sent, so that a restart sends them with the same keys. */
  async #take(lines: readonly ReadLine[], present: ReadonlyMap<string, number>): Promise<Bad[]> {
    const { taken, newKey } = this.options
    const missing = (await taken.refresh()).missing(present)
    const bad = await this.#refuseScripts(
      lines,
      missing.map(({ line }) => line),
    )
    const names = new Set(bad.map(({ name }) => name))
    const takes = missing.filter(({ line }) => !names.has(line))
    await taken.append(takes.map((take) => ({ account: taken.account, ...take, key: newKey() })))
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
    const record = await this.options.taken.refresh()
    const places = new Map(lines.map((line) => [line.name, line]))
    return [...places]
      .flatMap(([name, place]) => record.open(name).map((take) => ({ take, place })))
      .filter(({ take }) => !this.#refused.has(take.key))
  }

  /** Sends the lines one by one. Lines that cannot be sent now stay open. */
  async #sendAll(due: readonly Due[], signal: AbortSignal): Promise<{ bad: Bad[]; pauseMs: number | null }> {
    const { taken, journal, now } = this.options
    const bad: Bad[] = []
    const counts = { queued: 0, known: 0, later: 0, bad: 0 }
    const listed = due.length <= mostListed
    if (!listed) await journal.note(`Submitting ${due.length} new lines.`)
    let told = now()
    for (const [at, { take, place }] of due.entries()) {
      if (signal.aborted) break
      // Another watcher of the file may have sent it already.
      if (!(await taken.refresh()).isOpen(take)) continue
      const sent = await this.#send(take, place)
      counts[sent.kind] += 1
      if (sent.kind === 'later') {
        await this.#sayLater(sent.message)
        return { bad, pauseMs: sent.ms }
      }
      if (sent.kind === 'bad') {
        if (sent.forGood) this.#refused.add(take.key)
        bad.push({ number: place.number, text: place.name, message: sent.message })
      } else {
        const text = `line ${place.number}: ${place.line.script} ${sent.message}`
        await (listed ? journal.note(text) : journal.detail(text))
      }
      if (!listed && now() - told >= progressEveryMs) {
        told = now()
        await journal.note(`Submitted ${at + 1} of ${due.length} lines.`)
      }
    }
    if (!listed) {
      const refused = counts.bad > 0 ? `, ${counts.bad} skipped` : ''
      await journal.note(`Submitted ${counts.queued} jobs, ${counts.known} already existed${refused}.`)
    }
    return { bad, pauseMs: null }
  }

  async #send(take: Take, { line }: ReadLine): Promise<Sent> {
    const { client, taken, lines } = this.options
    const { account } = taken
    const sent = await sendLine(client, { line, script: this.#scriptOf(line), key: take.key, options: lines })
    if (sent.kind === 'queued' || sent.kind === 'known') {
      this.#serverSaid = ''
      await taken.append([{ account, line: take.line, nth: take.nth, job: sent.job }])
    }
    return sent
  }

  async #sayLater(text: string): Promise<void> {
    if (this.#serverSaid !== text) await this.options.journal.warn(text)
    this.#serverSaid = text
  }

  /** After a line was removed for long enough, the same line counts as new. */
  async #forget(present: ReadonlyMap<string, number>): Promise<void> {
    const { taken, now, forgetMs } = this.options
    const record = await taken.refresh()
    const { forget, since } = decideForgotten(record.gone(present), this.#goneSince, now(), forgetMs)
    this.#goneSince = since
    await taken.append(
      forget.map(({ line, times }) => ({
        account: taken.account,
        line,
        forgotten: record.forgottenAt(line, times),
      })),
    )
  }

  #scriptOf({ script }: JobLine): string {
    return resolve(dirname(this.options.path), script)
  }

  async #sayState(file: WholeFile): Promise<void> {
    const { path, journal } = this.options
    const text =
      file.kind === 'missing'
        ? `${path} not found. Waiting for it to be created.`
        : file.kind === 'unreadable'
          ? `Cannot read ${path}: ${file.message}. Retrying.`
          : ''
    if (text !== '' && text !== this.#fileSaid) await journal.warn(text)
    this.#fileSaid = text
  }

  /**
   * Returns the delay in milliseconds until an incomplete line is checked again. Usually it is completed at
   * once, so the terminal shows the message only later.
   */
  async #sayTail(tail: FileLine | null): Promise<number | null> {
    if (tail === null || tail.text === null || isBlankOrComment(tail.text)) return null
    const { journal, now } = this.options
    const restsMs = now() - this.#tail.since
    const late = restsMs >= tailIsLateMs
    const text = `line ${tail.number} has no line break at its end and may be incomplete; it is submitted when the line break is added or the file is unchanged for a minute`
    const key = `${this.#tail.version} ${late}`
    if (this.#tailSaid !== key) await (late ? journal.warn(text) : journal.detail(text))
    this.#tailSaid = key
    return Math.max(1_000, (late ? tailRestsMs : tailIsLateMs) - restsMs)
  }

  /**
   * Reports each invalid line once, and again if the same line is added again. `seen` counts the lines of
   * this check.
   */
  async #sayBad(bad: readonly Bad[], seen: Map<string, number>): Promise<void> {
    for (const { number, text, message } of bad) {
      const key = `${text}\n${message}`
      const times = (seen.get(key) ?? 0) + 1
      seen.set(key, times)
      if (times > (this.#badSaid.get(key) ?? 0)) {
        await this.options.journal.warn(`line ${number} skipped: ${message}.`)
      }
    }
  }
}
