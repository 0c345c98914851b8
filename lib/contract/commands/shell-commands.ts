import { interpreterOf, isShell, withUnixLineEnds } from '../config/program/shell-script'
import { endOfShellWords, splitShellWords } from '../config/program/shell-words'

/** A program that a shell starts, with its arguments, before the shell expands anything. */
export interface ProgramCall {
  program: string
  args: string[]
}

/** Maximum nesting of `$(…)`, and of commands such as `sh -c "bash -c …"`. */
const maxDepth = 4

const operators = ';&|()<>\n'

/** Words that may precede the program of a command. */
const prefixes = new Set(
  'then do else elif if while until ! { time nohup exec command env nice timeout setsid stdbuf sudo'.split(
    ' ',
  ),
)
const assignment = /^[A-Za-z_]\w*\+?=/
const operandOfPrefix = /^(-.*|[\d.]+[smhd]?)$/

/**
 * Reads the programs that a command starts, in order. This is a simple reading for checks and hints: `$(…)` is an unknown
 * text, and reading ends at a here-document and at a quote that is never closed. Redirections are left out. A command whose first line
 * names another program than a shell starts nothing that can be read.
 */
export function readProgramCalls(command: string, depth = 0): ProgramCall[] {
  const interpreter = depth === 0 ? interpreterOf(command) : null
  if (interpreter !== null && !isShell(interpreter)) return []
  return splitCommands(hideExpansions(withoutComments(withUnixLineEnds(command)))).flatMap((words) => {
    const call = toProgramCall(words)
    if (call === null) return []
    const inner = depth < maxDepth ? inlineCommand(call) : null
    return inner === null ? [call] : readProgramCalls(inner, depth + 1)
  })
}

const quotedOrComment = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?<=^|[\s;&|()])#[^\n]*/gs

/** Removes comments, also a first line such as `#!/bin/bash`. */
function withoutComments(command: string): string {
  return command.replace(quotedOrComment, (found) => (found.startsWith('#') ? '' : found))
}

/** Replaces `$(…)` and backquotes by a variable, because what they print is unknown. */
function hideExpansions(command: string): string {
  let text = command.replace(/`[^`]*`/g, () => '$_')
  for (let depth = 0; depth < maxDepth; depth++) text = text.replace(/\$\(\(?[^()]*\)?\)/g, () => '$_')
  return text
}

/** The words of each simple command. */
function splitCommands(text: string): string[][] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (let at = 0; at < text.length; at++) {
    const read = endOfShellWords(text, at, operators)
    if (!read.ok) return commands
    const operator = text.charAt(read.end)
    const redirects = /[<>]/.test(operator)
    // `2>&1`: the number and the ampersand belong to the redirection.
    const part = text.slice(at, read.end).replace(redirects ? /(?<=^|\s)\d+$/ : '', '')
    const split = splitShellWords(part)
    if (!split.ok) return commands
    commands.at(-1)?.push(...(isTarget ? split.words.slice(1) : split.words))
    if (text.startsWith('<<', read.end)) return commands
    isTarget = redirects || (isTarget && operator === '&' && split.words.length === 0)
    if (!isTarget) commands.push([])
    at = read.end
  }
  return commands
}

function toProgramCall(words: readonly string[]): ProgramCall | null {
  let prefixed = false
  for (const [index, word] of words.entries()) {
    if (prefixes.has(word)) prefixed = true
    else if (!assignment.test(word) && !(prefixed && operandOfPrefix.test(word)))
      return { program: word, args: words.slice(index + 1) }
  }
  return null
}

/** The command that a shell gets as a text: `sh -c "…"`. */
function inlineCommand({ program, args }: ProgramCall): string | null {
  if (!/^(.*\/)?(sh|bash|dash|zsh|ksh)$/.test(program)) return null
  const { options, operands } = splitOptions(args)
  return options.some((option) => /^-[A-Za-z]*c$/.test(option)) ? (operands[0] ?? null) : null
}

/** Splits the arguments of a shell or of Python before the first operand: the script, module or text that it runs. */
export function splitOptions(args: readonly string[]): { options: string[]; operands: string[] } {
  const isValue = (index: number) => /^[-+]([A-Za-z]*o|[WX])$/.test(args[index - 1] ?? '')
  const found = args.findIndex((arg, index) => !/^[-+]./.test(arg) && !isValue(index))
  const end = found === -1 ? args.length : found
  return { options: args.slice(0, end), operands: args.slice(end) }
}
