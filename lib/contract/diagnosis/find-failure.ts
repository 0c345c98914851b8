import type { CauseId } from './causes'
import { completeMessage, findEvidence, mostLines } from './evidence'
import { explainTraceback } from './explain-traceback'
import type { InstanceEnd } from './facts'
import { findPlace } from './find-place'
import { findDiverged, lastSign, lastUncaught, readChildSignal } from './output-signs'
import { launchers, parseTraceback, type Traceback } from './parse-traceback'
import { describeSignal, signalOf } from './signals'
import type { CodeLocation } from './traceback-reader'
import { findWording } from './wordings'

/** Why the program of one instance ended, as far as its output tells. */
export interface Failure {
  cause: CauseId
  /** The exception or message; null: the program printed none. */
  error: string | null
  subject: string | null
  location: CodeLocation | null
  evidence: readonly string[]
  /** When the line was printed that shows it; null: not known. */
  t: string | null
}

/** More output than this after a traceback: the program caught the exception and went on. */
const mostAfterTraceback = 200
/** What torchrun logs of its processes. */
const launcherLine = /\btorch[./]distributed\b|\bclosing signal SIG/

/** Finds why a program failed. The exception that ended it says most; without one it is the last line that shows a cause. */
export function findFailure(end: Pick<InstanceEnd, 'lines' | 'exit_code'>): Failure {
  const lines = end.lines.map(({ text }) => text)
  const at = (index: number) => end.lines[index]?.t ?? null
  const signal = signalOf(end.exit_code)
  const traceback = endingTraceback(lines, signal)
  if (traceback) {
    const { shownBy, origin, ...found } = explainTraceback(traceback, lines)
    if (found.cause === 'exception' && traceback.location === null && launchers.test(traceback.exception)) {
      const before = end.lines.slice(0, traceback.start).filter(({ text }) => !launcherLine.test(text))
      return findFailure({ ...end, lines: before })
    }
    const { start: from, end: to, exception } = traceback
    const location = origin?.location ?? traceback.location
    const evidence = findEvidence(lines, { from, to, location })
    return {
      ...found,
      // A launcher only says that a process failed.
      error:
        shownBy !== undefined && exception.includes('ChildFailedError')
          ? shownBy.trim()
          : completeMessage(exception, lines, to),
      location,
      evidence: shownBy === undefined ? evidence : addAbove(shownBy, lines[from - 1], evidence),
      t: at(traceback.end),
    }
  }
  const shown = lastSign(lines) ?? lastUncaught(lines)
  if (shown && !isOverruled(lines, shown.index) && !(signal !== null && shown.cause === 'permission')) {
    const { index, ...sign } = shown
    return {
      ...sign,
      error: (lines[index] ?? '').trim(),
      location: findPlace(lines, index),
      evidence: findEvidence(lines, { from: index - 3, to: index, location: null }),
      t: at(index),
    }
  }
  return ofEnd(end, lines)
}

/** Puts a line above the evidence, and marks the gap if it is not the line `before` it. */
function addAbove(line: string, before: string | undefined, evidence: readonly string[]): string[] {
  const head = before?.endsWith(line) ? [line] : [line, '…']
  return [...head, ...evidence.slice(head.length - mostLines)]
}

/** The program prints an error of its own among the last of this many lines, because two streams may mix. */
const nearEnd = 10
const longestStack = 40
/** More lines than this between the sign of a cause and an error: the program went on. */
const mostBetween = 5
const ownError =
  /^(?:[[\]\w:.,/ -]{0,60}\b)?(?:ERROR|FATAL|CRITICAL)\b|^(?:\S{1,60}: )?(?:[Ee]rror|[Ff]atal): /

/** The index of the line with which the program reports why it ends: of an error, otherwise the last one before a stack. */
function findMessage(lines: readonly string[]): number {
  const last = findLastPrinted(lines)
  const index = lines.findLastIndex((line, at) => at > last - nearEnd && ownError.test(line))
  if (index !== -1) return index
  const stack = findStack(lines, last)
  return stack > 0 ? findLastPrinted(lines.slice(0, stack)) : last
}

const findLastPrinted = (lines: readonly string[]) => lines.findLastIndex((line) => line.trim() !== '')

/** The index of the first line of the stack that Python's faulthandler prints at the end; -1: none. */
const findStack = (lines: readonly string[], last: number) =>
  lines.findIndex((line, at) => at > last - longestStack && line.includes('(most recent call first)'))

/** Whether the program went on after a line, and reports another error at its end. */
function isOverruled(lines: readonly string[], index: number): boolean {
  const message = findMessage(lines)
  return message > index + mostBetween && ownError.test(lines[message] ?? '')
}

/** The failure of a program that printed no known cause. */
function ofEnd(end: Pick<InstanceEnd, 'lines' | 'exit_code'>, lines: readonly string[]): Failure {
  const signal = signalOf(end.exit_code)
  const diverged = findDiverged(lines)
  const last = findMessage(lines)
  const index = diverged ?? last
  const shared = {
    location: signal === null ? null : findPlace(lines, last),
    evidence: findEvidence(lines, { from: index - 7, to: index, location: null }),
    t: end.lines[index]?.t ?? null,
  }
  const message = (lines[index] ?? '').trim() || null
  if (signal === 'SIGBUS')
    return { cause: 'shm_full', error: describeSignal(signal), subject: null, ...shared }
  if (diverged !== null) return { cause: 'not_finite', error: message, subject: null, ...shared }
  if (signal !== null) {
    return {
      cause: 'killed_by_signal',
      error: terminating(lines) ?? describeSignal(signal),
      subject: signal,
      ...shared,
    }
  }
  // Only a message that names its own line has a place, or one with a stack.
  const location =
    findStack(lines, last) === -1 ? findPlace(lines.slice(last, last + 1), 0) : findPlace(lines, last)
  const child = readChildSignal(message ?? '')
  if (child !== null) return { cause: 'killed_by_signal', subject: child, error: message, ...shared }
  const subject = unsetVariable(message)
  const said = subject === null && message !== null ? findWording(message) : null
  return { ...(said ?? { cause: 'exit_code', subject }), error: message, ...shared, location }
}

/** What C++ prints of an exception that nothing caught. */
function terminating(lines: readonly string[]): string | null {
  const what = lines.findLast((line) => /^\s*what\(\):/.test(line))?.trim()
  const type = lines
    .map((line) => /^terminate called after throwing an instance of '([^']{1,200})'/.exec(line)?.[1])
    .findLast((name) => name !== undefined)
  if (type === undefined) return what ?? null
  return what === undefined ? type : `${type}: ${what.replace(/^what\(\):\s{0,9}/, '')}`
}

/** The variable that a shell with `set -u` misses. */
const unsetVariable = (message: string | null) =>
  /(?:^|\s)(\w{1,100}): (?:unbound variable|parameter (?:not set|null or not set))/.exec(
    message ?? '',
  )?.[1] ?? null

/** The traceback with which the program ended. A program that was killed has ended with the signal, unless it is the last it printed. */
function endingTraceback(lines: readonly string[], signal: string | null): Traceback | null {
  const traceback = parseTraceback(lines)
  if (!traceback) return null
  const after = lines.slice(traceback.end + 1).filter((line) => line.trim() !== '').length
  // C++ aborts after some exceptions, and prints its own stack.
  return after <= (signal === null || signal === 'SIGABRT' ? mostAfterTraceback : 4) ? traceback : null
}
