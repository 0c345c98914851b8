import { signalOf } from './signals'
import { type FoundSign, findSign } from './signs'

/** How many of the last lines of the output may say why a program failed. */
const searchedEnd = 100

/** How other languages than Python print an error that nothing caught: JavaScript, Java, Julia, R, Rust, Go. */
const uncaught =
  /^(?:Uncaught )?[A-Z][A-Za-z]{0,60}Error(?: \[\w+\])?: |^Exception in thread |^ERROR: LoadError: |^Error in .{1,200} : |^Error: |^thread '.{1,100}' panicked at |^panic: /

export function lastUncaught(lines: readonly string[]): (FoundSign & { index: number }) | null {
  const index = lines.findLastIndex((line, at) => at >= lines.length - searchedEnd && uncaught.test(line))
  return index === -1 ? null : { cause: 'exception', subject: null, index }
}

const exceptionStart = /^[A-Za-z_][\w.]{0,200}(?:Error|Exception): /
/** The message of an exception may name what led to it at most this many lines after its first one. */
const longestMessage = 5

/** The last line that shows a cause, or the exception whose message it belongs to. */
export function lastSign(lines: readonly string[]): (FoundSign & { index: number }) | null {
  const signAt = (index: number) => {
    // With a traceback, the exception counts as one.
    const text = lines[index] ?? ''
    const found = findSign(text, exceptionStart.test(text))
    return found && { ...found, index }
  }
  for (let index = lines.length - 1; index >= Math.max(0, lines.length - searchedEnd); index--) {
    const found = signAt(index)
    if (!found) continue
    const start = lines.findLastIndex((line, at) => at <= index && exceptionStart.test(line))
    return (index - start <= longestMessage ? signAt(start) : null) ?? found
  }
  return null
}

/** The index of the last line in which a metric is NaN or infinite; null: none of the last lines has one. */
export function findDiverged(lines: readonly string[]): number | null {
  const index = lines.findLastIndex(
    (line, at) =>
      at >= lines.length - 20 &&
      /"[^"]{1,80}": ?(?:NaN|-?Infinity|"(?:NaN|-?Infinity)")|\b\w{0,40}(?:loss|nll|perplexity|grad_?norm)\w{0,40}['"]?\s{0,20}(?:(?:is|became|[:=])\s{0,20})?(?:tensor\()?-?(?:nan|inf)\b/i.test(
        line,
      ),
  )
  return index === -1 ? null : index
}

/** How launchers and libraries say that a signal ended a process that they started. Some print its negative number. */
const childSignal =
  /died with <Signals\.(SIG[A-Z]{2,8})|terminated with signal (SIG[A-Z]{2,8})|Signal \d{1,2} \((SIG[A-Z]{2,8})\) received/
const negativeCode =
  /\b(?:exit ?(?:code|status)|return ?code|exit(?:s|ed)? with (?:return )?(?:code|status))\s{0,9}[=:]?\s{0,9}-(\d{1,2})\b/

export function readChildSignal(line: string): string | null {
  const number = negativeCode.exec(line)?.[1]
  return childSignal.exec(line)?.slice(1).find(Boolean) ?? (number ? signalOf(128 + Number(number)) : null)
}
