import { type CodeLocation, type TracebackChain, TracebackReader } from './traceback-reader'

/** An exception from which another one was raised. */
export interface Origin extends Pick<Traceback, 'exception' | 'location' | 'raisedIn'> {}

/** Why a Python program ended. */
export interface Traceback {
  /** The index of its first line. */
  start: number
  /** The index of the line of the exception. */
  end: number
  /** The line of the exception: "ValueError: too large". */
  exception: string
  /** The exceptions from which it was raised, the nearest first. */
  origins: readonly Origin[]
  /** The exception group that contains the exception; null: none. */
  group: string | null
  /** The last line of the user's own code; null: the traceback has none. */
  location: CodeLocation | null
  /** The line that raised the exception. */
  raisedIn: CodeLocation | null
  ends: TracebackChain['ends']
  /** What a launcher put before each line, such as "[rank1]: ". */
  label: string
}

/** Output may have millions of lines. A traceback stands at its end. */
export const searchedLines = 5_000
export const searchedCharacters = 2_000

const libraryFile =
  /^<|\.px[di]$|\.pyx$|^\/(?:usr|opt|root|home)\/.{0,100}\bbin\/|[/\\](?:site|dist)-packages[/\\]|[/\\]lib(?:64)?[/\\]python\d|[/\\]pip-(?:install|req-build|build-env|modern-metadata)-/
/** The labels of torchrun, of PyTorch itself and of MPI. They mix the lines of several processes. */
const rankLabel = /^(?:\[(?:rank|default)?\d+\]:? ?|\[\d+,\d+\]<std(?:out|err)>:? ?)/
const launcherError = /\bChildFailedError\b|Root Cause \(first observed failure\)/
/** What a process, thread or task raises because it lost or waited in vain for another one. */
const isConsequence = ({ exception }: Traceback) => lostOther.test(exception)
export const lostOther =
  /Connection (?:closed|reset) by peer|Broken pipe|Connection closed|NCCL|DistBackendError|DistNetworkError|KeyboardInterrupt|SignalException|^(?:_?queue\.)?Empty\b|TimeoutError\b|CancelledError\b|BrokenBarrierError\b|BrokenProcessPool\b|^EOFError$/
/** The exceptions of those that start other processes, whose own output says more. */
export const launchers = /\b(?:ChildFailedError|ProcessExitedException|CalledProcessError|SystemExit)\b/

/**
 * Finds the exception that ended a Python program, and the last line of the user's own code that led to it. In an exception group, it is
 * the first exception inside. If a launcher started several processes, it is the one that failed first. Null: the output has none.
 */
export function parseTraceback(lines: readonly string[]): Traceback | null {
  const found = parseTracebacks(lines)
  const own = found.filter(({ location }) => location !== null)
  if (isLaunched(lines, own)) return firstOf(lines, own)
  const last = own.at(-1)
  if (last && isConsequence(last)) {
    const other = own.findLast((one) => one.ends === 'thread' && !isConsequence(one))
    if (other) return other
  }
  // The message of an exception may quote the traceback of the worker or the library that failed.
  const original = found.at(-1)
  if (last && original && last !== original && !launchers.test(original.exception))
    return { ...original, start: last.start, location: last.location }
  return last ?? original ?? null
}

/** All tracebacks at the end of an output, in the order of their exceptions. */
export function parseTracebacks(lines: readonly string[]): Traceback[] {
  const readers = new Map<string, TracebackReader>()
  for (let at = Math.max(0, lines.length - searchedLines); at < lines.length; at++) {
    const line = (lines[at] ?? '').slice(0, searchedCharacters).trimEnd()
    const label = rankLabel.exec(line)?.[0] ?? ''
    const reader = readers.get(label) ?? new TracebackReader()
    readers.set(label, reader)
    reader.read(line.slice(label.length), at)
  }
  return [...readers]
    .flatMap(([label, { chains }]) => chains.flatMap((chain) => toTraceback(chain, label) ?? []))
    .filter(({ ends }) => ends !== 'ignored')
    .sort((a, b) => a.end - b.end)
}

function isLaunched(lines: readonly string[], own: readonly Traceback[]): boolean {
  if (new Set(own.map(({ label }) => label)).size > 1) return true
  return own.length > 1 && lines.slice(-searchedLines).some((line) => launcherError.test(line))
}

/** The traceback of the process that the launcher names as the first one, otherwise the first that is not about a lost process. */
function firstOf(lines: readonly string[], own: readonly Traceback[]): Traceback | null {
  const root = lines.findLastIndex((line) => line.includes('Root Cause (first observed failure)'))
  const rank =
    root === -1 ? null : /\brank\s{0,20}:\s{0,20}(\d{1,9})/.exec(lines.slice(root, root + 8).join('\n'))?.[1]
  const named = own.filter(({ label }) => rank && new RegExp(`\\D${rank}\\D`).test(label))
  return (
    named.findLast((one) => !isConsequence(one)) ??
    own.find((one) => !isConsequence(one)) ??
    named.at(-1) ??
    own[0] ??
    null
  )
}

function toTraceback({ blocks, origins, ends }: TracebackChain, label: string): Traceback | null {
  const ended = blocks.filter(({ exception }) => exception !== null)
  const first = ended.find(({ isGroup }) => !isGroup)
  const block = first ? ended.findLast(({ isGroup, part }) => !isGroup && part === first.part) : ended[0]
  if (!block || block.exception === null) return null
  const group = ended.find(({ isGroup }) => isGroup)
  // A pool raises the exception of its worker once more, in the process that waits for it.
  const worker = origins.find(({ exception }) => exception === block.exception)
  return {
    start: blocks[0]?.start ?? block.start,
    end: block.end,
    exception: block.exception,
    origins: origins.map(({ exception, frames }) => ({
      exception,
      location: lastOwn(frames),
      raisedIn: frames.at(-1) ?? null,
    })),
    group: group && group !== block ? group.exception : null,
    location:
      (worker && lastOwn(worker.frames)) ?? lastOwn(block.frames) ?? (group ? lastOwn(group.frames) : null),
    raisedIn: block.frames.at(-1) ?? null,
    ends,
    label,
  }
}

/** The last line of the user's own code. */
export function lastOwn(frames: readonly CodeLocation[]): CodeLocation | null {
  return frames.findLast(({ file }) => !libraryFile.test(file)) ?? null
}
