import { lastOwn } from './parse-traceback'
import type { CodeLocation } from './traceback-reader'

/** How other programs than Python name a line of code. The groups: file, line, function. */
const forms: readonly RegExp[] = [
  // Python's faulthandler: most recent call first.
  /^\s*File "([^"]+)", line (\d{1,9}) in (.+)$/,
  // bash: "run.sh: line 5: …"; dash: "run.sh: 5: …".
  /^([\w./-]+\.\w+): (?:line )?(\d{1,9}): /,
  // Node: "at load (/work/main.js:3:5)", or "/work/main.js:3".
  /^\s+at (?:(?:async )?[^(]+\()?(?:file:\/\/)?(\/[^():]+):(\d{1,9}):\d+\)?$/,
  /^(\/[\w./-]+\.[cm]?[jt]s):(\d{1,9})$/,
  // Compilers: "main.c:3:5: error: …".
  /^([\w./-]+\.\w+):(\d{1,9}):(?:\d+:)? (?:fatal )?error\b/,
  // The assert of C: "loader: loader.c:6: main: Assertion `n > 0' failed."
  /^(?:\S{1,100}: )?([\w./-]+\.\w+):(\d{1,9}): .{1,200}: Assertion [`'].{1,200}' failed/,
  // Perl: "… at a.pl line 3."; Julia: "in expression starting at /work/a.jl:3".
  /\bat ([\w./-]+\.p[lm]) line (\d{1,9})[.,]/,
  /in expression starting at ([\w./-]+\.jl):(\d{1,9})/,
  // Go and Rust: "main.go:12 +0x1d", "panicked at src/main.rs:3:5".
  /^\s+(\/[\w./-]+\.go):(\d{1,9})/,
  /panicked at (?:.*, )?([\w./-]+\.rs):(\d{1,9})/,
]

/** How far around the line with the message a place is searched. */
const before = 12
const after = 30

/** The line of the user's code that the output names near a line; null: none. */
export function findPlace(lines: readonly string[], at: number): CodeLocation | null {
  const stack = lines.findLastIndex((line) => line.includes('(most recent call first)'))
  const around = [
    ...(stack !== -1 && at - stack < after ? lines.slice(stack, stack + after) : []),
    ...lines.slice(at, at + after),
    ...lines.slice(Math.max(0, at - before), at).toReversed(),
  ]
  const frames = around.flatMap((line) => placeIn(line) ?? [])
  // The first one found is the nearest. lastOwn takes the last one that is no library.
  return lastOwn(frames.toReversed())
}

function placeIn(line: string): CodeLocation | null {
  for (const form of forms) {
    const [, file, number, name] = form.exec(line.slice(0, 500)) ?? []
    if (file !== undefined) return { file, line: Number(number), function: name?.trim() ?? null, code: null }
  }
  return null
}
