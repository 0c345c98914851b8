import type { CauseId } from './causes'
import { findEvidence, messageAfter, mostLines } from './evidence'
import type { InstanceEnd } from './facts'
import { findPlace } from './find-place'
import { launchers, lostOther, type Origin, parseTraceback, type Traceback } from './parse-traceback'
import { describeSignal, signalOf } from './signals'
import { type FoundSign, findSign } from './signs'
import type { CodeLocation } from './traceback-reader'
import { findPath, findWording } from './wordings'

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

/** How many of the last lines of the output may say why a program failed. */
export const searchedEnd = 100
/** More output than this after a traceback: the program caught the exception and went on. */
const mostAfterTraceback = 200
/** Exceptions of Python that mean a mistake in the code that raised them, not what it handled. */
const mistake =
  /^(?:Name|Attribute|Type|Key|Index|UnboundLocal|ZeroDivision|NotImplemented)Error\b|^AttributeError\b/

/** The causes that the next lines of the message name more exactly. */
const details: Readonly<Partial<Record<CauseId, readonly CauseId[]>>> = {
  distributed: ['gpu_shared', 'gpu_out_of_memory'],
  bad_checkpoint: ['lfs_pointer'],
}
/** The files of libraries that read checkpoints, and the calls that read them in native code. */
const readsCheckpoint =
  /[/\\](?:serialization|pickle|numpy_pickle|torch_load)\.py$|[/\\]safetensors[/\\]|[/\\]numpy[/\\]lib[/\\]_?format(?:_impl)?\.py$/
const checkpointCall = /\b(?:pickle|dill|cloudpickle|joblib)\.loads?\(/
/** The files of libraries that parse data. */
const readsData =
  /[/\\](?:configparser|csv|zipfile|tarfile|gzip|bz2|lzma|plistlib|wave|_?npyio(?:_impl)?)\.py$|(?:^|[/\\])(?:json|xml|tomllib|yaml|pyarrow|h5py|zipfile)[/\\]|[/\\]datasets[/\\](?:table\.py|packaged_modules[/\\])|[/\\]PIL[/\\](?:ImageFile|\w{1,40}ImagePlugin)\.py$|[/\\]pandas[/\\]io[/\\]/

/** What torchrun logs of its processes. */
const launcherLine = /\btorch[./]distributed\b|\bclosing signal SIG/

/** Finds why a program failed. The exception that ended it says most; without one it is the last line that shows a cause. */
export function findFailure(end: Pick<InstanceEnd, 'lines' | 'exit_code'>): Failure {
  const lines = end.lines.map(({ text }) => text)
  const at = (index: number) => end.lines[index]?.t ?? null
  const signal = signalOf(end.exit_code)
  const traceback = endingTraceback(lines, signal)
  if (traceback) {
    const { shownBy, origin, ...found } = ofTraceback(traceback, lines)
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
      evidence: shownBy === undefined ? evidence : [shownBy, ...evidence.slice(1 - mostLines)],
      t: at(traceback.end),
    }
  }
  const shown = lastSign(lines, 0) ?? lastUncaught(lines)
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

/** Some exceptions have a message that begins on the next line. */
function completeMessage(exception: string, lines: readonly string[], at: number): string {
  if (!exception.endsWith(':')) return exception
  const next = lines.slice(at + 1, at + 4).find((line) => /\w/.test(line))
  return next === undefined ? exception : `${exception} ${next.trim()}`
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

/** What a traceback shows. */
interface TracebackSign extends FoundSign {
  /** The line above the traceback that shows the cause. */
  shownBy?: string
  /** The exception that shows the cause, if it is not the last one. */
  origin?: Origin
}

/** What waits for the workers of a data loader. */
const loaderFile = 'torch/utils/data/dataloader.py'

function ofTraceback(traceback: Traceback, lines: readonly string[]): TracebackSign {
  const { origins, raisedIn, end, location } = traceback
  const exception = completeMessage(traceback.exception, lines, end)
  const missing = /^FileNotFoundError: .*: '([^'/]+)'$/.exec(exception)?.[1]
  if (missing !== undefined && /[/\\]subprocess\.py$/.test(raisedIn?.file ?? ''))
    return { cause: 'command_missing', subject: missing }
  const child = findChildSignal(lines, end)
  if (child !== null) return child
  if (
    lostOther.test(exception) &&
    lines.slice(traceback.start, end).some((line) => line.includes(loaderFile))
  )
    return { cause: 'data_loader_worker', subject: null }
  const sign = findSign(exception, true)
  const found =
    sign?.cause === 'file_missing' ? { ...sign, subject: sign.subject ?? findPath(exception) } : sign
  if (found?.cause === 'index_out_of_range' && /\bargv\[/.test(location?.code ?? ''))
    return { cause: 'argument_error', subject: null }
  // A program that the job started has printed the cause before.
  if (found === null && launchers.test(exception)) {
    const shown = lastSign(lines.slice(0, traceback.start), 0)
    if (shown) {
      const { index, ...sign } = shown
      return { ...sign, shownBy: lines[index] ?? '' }
    }
  }
  // Some exceptions have more lines.
  const more = messageAfter(lines, end).map((line) => findSign(line.trim(), true))
  const reading = findReading(traceback)
  if (found?.cause === 'assertion') return findAsserted(exception) ?? found
  if (found?.cause === 'shape_mismatch' && reading) return reading
  if (found) return more.find((sign) => sign && details[found.cause]?.includes(sign.cause)) ?? found
  const inMessage = more.find((sign) => sign !== null)
  if (inMessage) return inMessage
  if (/^KeyboardInterrupt\b/.test(exception)) return { cause: 'killed_by_signal', subject: 'SIGINT' }
  if (!mistake.test(exception)) {
    const diverged = findDiverged(lines.slice(0, traceback.start))
    if (diverged !== null) return { cause: 'not_finite', subject: null, shownBy: lines[diverged] ?? '' }
    for (const origin of origins) {
      const sign = findSign(origin.exception, true) ?? findReading(origin)
      if (sign) return { ...sign, shownBy: origin.exception, origin }
    }
  }
  if (reading) return reading
  const said = findSaid(traceback, exception, messageAfter(lines, end).slice(0, mostSaid))
  if (said) return said
  for (const origin of mistake.test(exception) ? [] : origins) {
    const saidBefore = findSaid(origin, origin.exception)
    if (saidBefore) return { ...saidBefore, shownBy: origin.exception, origin }
  }
  // The packages of the environment do not fit if one of them fails while it is imported.
  if (/^(?:import|from) /.test(location?.code ?? '') && raisedIn?.file !== location?.file)
    return { cause: 'library_missing', subject: null }
  return findWarning(traceback, lines) ?? { cause: 'exception', subject: subjectOf(exception) }
}

/** A library in native code may print why it fails right above the traceback. */
function findWarning(traceback: Traceback, lines: readonly string[]): TracebackSign | null {
  const { exception, raisedIn, location, start } = traceback
  const isNative = raisedIn?.file === location?.file && !/^raise\b/.test(location?.code ?? '')
  if (mistake.test(exception) || !isNative) return null
  const shownBy = lines.slice(Math.max(0, start - 3), start).findLast((line) => /\b(?:WARN|ERROR)/.test(line))
  const sign = shownBy === undefined ? null : (findSign(shownBy, false) ?? findWording(shownBy))
  return sign && shownBy !== undefined ? { ...sign, shownBy } : null
}

/** An assertion may check what the program needs, and say so. */
function findAsserted(exception: string): FoundSign | null {
  const said = findWording(exception)
  return said && checked.has(said.cause) ? said : null
}

const checked: ReadonlySet<CauseId> = new Set(['not_finite', 'gpu_missing', 'file_missing', 'credentials'])

/** What an exception says in its own words. Those of a mistake are names of the code. */
function findSaid({ raisedIn }: Origin, exception: string, more: readonly string[] = []): FoundSign | null {
  // A module has this function for names that it no longer has.
  if (
    /^AttributeError\b/.test(exception) &&
    raisedIn?.function === '__getattr__' &&
    /[/\\]__init__\.py$/.test(raisedIn.file)
  )
    return { cause: 'import_name', subject: null }
  if (/^IndexError\b/.test(exception)) return findWording(exception)
  if (mistake.test(exception)) return null
  const sentences = more.flatMap((line) => line.split(/(?<=[.!?]) /))
  return [exception, ...sentences].map(findWording).find((said) => said !== null) ?? null
}

/** Below the first line of a message, this many lines may say why. */
const mostSaid = 2

/** What a library says of a file that it cannot read, unless another parameter or path lets it. */
function findReading({ exception, raisedIn, location }: Origin): FoundSign | null {
  if (/^_?(?:write|save|dump)/.test(raisedIn?.function ?? '')) return null
  if (mistake.test(exception) || /^IsADirectoryError\b|\w=(?:True|False)\b/.test(exception)) return null
  if (readsCheckpoint.test(raisedIn?.file ?? '')) return { cause: 'bad_checkpoint', subject: null }
  if (readsData.test(raisedIn?.file ?? '')) return { cause: 'bad_data', subject: null }
  const isNative = raisedIn?.file === location?.file && checkpointCall.test(location?.code ?? '')
  return isNative ? { cause: 'bad_checkpoint', subject: null } : null
}

/** How launchers and libraries say that a signal ended a process that they started. Some print its negative number. */
const childSignal =
  /died with <Signals\.(SIG[A-Z]{2,8})|terminated with signal (SIG[A-Z]{2,8})|Signal \d{1,2} \((SIG[A-Z]{2,8})\) received/
const negativeCode =
  /\b(?:exit ?(?:code|status)|return ?code|exit(?:s|ed)? with (?:return )?(?:code|status))\s{0,9}[=:]?\s{0,9}-(\d{1,2})\b/

function readChildSignal(line: string): string | null {
  const number = negativeCode.exec(line)?.[1]
  return childSignal.exec(line)?.slice(1).find(Boolean) ?? (number ? signalOf(128 + Number(number)) : null)
}

function findChildSignal(lines: readonly string[], end: number): (FoundSign & { shownBy?: string }) | null {
  const exception = lines[end] ?? ''
  const isLauncher = launchers.test(exception)
  if (!isLauncher && !lostOther.test(exception)) return null
  // The process that failed first has a part of its own: the launcher has stopped the others.
  const root = lines.findLastIndex((line) => line.includes('Root Cause (first observed failure)'))
  if (root === -1 && !isLauncher) return null
  const said = root === -1 ? lines.slice(end, end + 40) : lines.slice(root, root + 8)
  const shownBy = said.find((line) => readChildSignal(line) !== null)
  if (shownBy === undefined) return null
  return { cause: 'killed_by_signal', subject: readChildSignal(shownBy), shownBy }
}

/** What an exception without a known cause names: the key of a KeyError, the name of a NameError. */
function subjectOf(exception: string): string | null {
  return (
    /^KeyError: (.+)$|^(?:NameError|UnboundLocalError): .*'([^']+)'|\bname '([^']+)' is not defined/
      .exec(exception)
      ?.slice(1)
      .find(Boolean) ?? null
  )
}

/** How other languages than Python print an error that nothing caught: JavaScript, Java, Julia, R, Rust, Go. */
const uncaught =
  /^(?:Uncaught )?[A-Z][A-Za-z]{0,60}Error(?: \[\w+\])?: |^Exception in thread |^ERROR: LoadError: |^Error in .{1,200} : |^Error: |^thread '.{1,100}' panicked at |^panic: /

function lastUncaught(lines: readonly string[]): (FoundSign & { index: number }) | null {
  const index = lines.findLastIndex((line, at) => at >= lines.length - searchedEnd && uncaught.test(line))
  return index === -1 ? null : { cause: 'exception', subject: null, index }
}

const exceptionStart = /^[A-Za-z_][\w.]{0,200}(?:Error|Exception): /
/** The message of an exception may name what led to it at most this many lines after its first one. */
const longestMessage = 5

function lastSign(lines: readonly string[], from: number): (FoundSign & { index: number }) | null {
  const signAt = (index: number) => {
    // With a traceback, the exception counts as one.
    const text = lines[index] ?? ''
    const found = findSign(text, exceptionStart.test(text))
    return found && { ...found, index }
  }
  for (let index = lines.length - 1; index >= Math.max(from, lines.length - searchedEnd); index--) {
    const found = signAt(index)
    if (!found) continue
    const start = lines.findLastIndex((line, at) => at <= index && exceptionStart.test(line))
    return (index - start <= longestMessage ? signAt(start) : null) ?? found
  }
  return null
}

/** The index of the last line in which a metric is NaN or infinite; null: none of the last lines has one. */
function findDiverged(lines: readonly string[]): number | null {
  const index = lines.findLastIndex(
    (line, at) =>
      at >= lines.length - 20 &&
      /"[^"]{1,80}": ?(?:NaN|-?Infinity|"(?:NaN|-?Infinity)")|\b\w{0,40}(?:loss|nll|perplexity|grad_?norm)\w{0,40}['"]?\s{0,20}(?:(?:is|became|[:=])\s{0,20})?(?:tensor\()?-?(?:nan|inf)\b/i.test(
        line,
      ),
  )
  return index === -1 ? null : index
}
