import { readShellCommands, type ShellCommand, type ShellWord } from '../contract/config/shell-words'

type PathVerdict = { ok: true } | { ok: false; word: string | null; message: string }

const good: PathVerdict = { ok: true }
/** A command that runs a command that runs a command: `sh -c "bash -c …"`. */
const deepest = 4

/**
 * Whether every path that a command names is absolute. A job starts on another machine than the one its command was
 * written on: `train.sh` there is another file, or none. A path is what begins like one, what has a slash, what ends like
 * a file, the script that an interpreter is given, and what `cd` goes to. Options, plain words, addresses, the module
 * after `-m`, and what begins with a variable are left alone, as is a model's `owner/name` after an option that asks for
 * one.
 */
export function checkAbsolutePaths(command: string, depth = 0): PathVerdict {
  if (depth > deepest) return refuse(null, 'its commands within commands are too deep: put them in a script')
  const read = readShellCommands(command)
  if (!read.ok) return refuse(null, read.message)
  for (const one of read.commands) {
    const verdict = checkCommand(one, depth)
    if (!verdict.ok) return verdict
  }
  return good
}

function refuse(word: string | null, message: string): PathVerdict {
  return { ok: false, word, message }
}

function checkCommand({ words, redirects }: ShellCommand, depth: number): PathVerdict {
  for (const { text } of redirects) {
    // `>&1` names a descriptor, and `&-` closes one.
    if (!isAbsolute(text) && !/^&(\d+|-)$/.test(text))
      return refuse(text, 'the file that output or input is redirected to must be an absolute path')
  }
  const { program, args } = programOf(words)
  for (const { text } of words.slice(0, words.length - args.length)) {
    if (text !== '.' && isRelativePath(text))
      return refuse(text, 'the program must be an absolute path, or one that is found by name')
  }
  if (program === null) return good
  return checkArguments(program, args, depth)
}

function checkArguments(program: string, args: readonly ShellWord[], depth: number): PathVerdict {
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (/^(cd|pushd)$/.test(name)) {
    const target = args.find(({ text }) => !text.startsWith('-'))
    if (target && !isAbsolute(target.text)) return refuse(target.text, `${name} must go to an absolute path`)
  }
  const interpreter = interpreterOf(name)
  const operand = interpreter === null ? null : findOperand(args, interpreter)
  if (operand?.is === 'script' && !isAbsolute(operand.word.text)) {
    return refuse(operand.word.text, `the script that ${name} runs must be an absolute path`)
  }
  if (operand?.is === 'commands') {
    const inner = checkAbsolutePaths(operand.word.text, depth + 1)
    if (!inner.ok) return inner
  }
  const code = operand?.is === 'commands' || operand?.is === 'text' ? operand.word : null
  for (const [index, word] of args.entries()) {
    const before = args[index - 1]?.text
    if (word === code || isModule(before, word.text) || isNameOfModel(before, word.text)) continue
    if (!isText(word) && isRelativePath(word.text)) return refuse(word.text, 'this path must be absolute')
  }
  return good
}

/** Words that a command begins with before the program that it runs. */
const prefixes = new Set(
  'then do else elif if while until ! { time nohup exec command builtin env nice timeout setsid stdbuf sudo ionice'.split(
    ' ',
  ),
)
const assignment = /^[A-Za-z_]\w*\+?=/

function programOf(words: readonly ShellWord[]): { program: string | null; args: readonly ShellWord[] } {
  let prefixed = false
  for (const [index, { text }] of words.entries()) {
    const isOperand = prefixed && (text.startsWith('-') || /^[\d.]+[smhd]?$/.test(text))
    if (prefixes.has(text)) prefixed = true
    else if (!isOperand && !assignment.test(text)) return { program: text, args: words.slice(index + 1) }
  }
  return { program: null, args: [] }
}

interface Interpreter {
  /** The option whose value is the program's text. */
  inline: RegExp
  /** Whether that text is a shell's. */
  shell: boolean
  /** Options whose value is a word of its own. */
  valued: RegExp
  /** The option whose value is a module's name. */
  module: RegExp | null
}

const shell: Interpreter = {
  inline: /^-[A-Za-z]*c$/,
  shell: true,
  valued: /^([-+][A-Za-z]*[oO]|--rcfile|--init-file)$/,
  module: null,
}
const python: Interpreter = {
  inline: /^-[A-Za-z]*c$/,
  shell: false,
  valued: /^-[WX]$/,
  module: /^-[A-Za-z]*m$/,
}
const script: Interpreter = { inline: /^-[eEpr]$/, shell: false, valued: /^$/, module: null }

function interpreterOf(name: string): Interpreter | null {
  if (/^(sh|bash|dash|zsh|ksh|ash)$/.test(name)) return shell
  if (/^python[\d.]*$/.test(name)) return python
  if (/^(source|\.|perl|ruby|node|Rscript|julia|lua|php)$/.test(name)) return script
  return null
}

type Operand = { is: 'script' | 'commands' | 'text' | 'module'; word: ShellWord }

/** What an interpreter is given to run; null where there is nothing. */
function findOperand(args: readonly ShellWord[], interpreter: Interpreter): Operand | null {
  for (let index = 0; index < args.length; index++) {
    const word = args[index]
    const next = args[index + 1]
    if (word === undefined) return null
    const { text } = word
    if (interpreter.inline.test(text)) {
      return next ? { is: interpreter.shell ? 'commands' : 'text', word: next } : null
    }
    if (interpreter.module?.test(text)) return next ? { is: 'module', word: next } : null
    if (interpreter.valued.test(text)) index++
    else if (text === '-' || text === '-s') return null
    else if (!/^[-+]./.test(text)) return { is: 'script', word }
  }
  return null
}

/** Absolute, or what a variable or a command will say: that cannot be known here. */
function isAbsolute(text: string): boolean {
  return text.startsWith('/') || text.startsWith('$') || text === '-'
}

const files =
  /\.(sh|bash|zsh|py|ipynb|pl|rb|js|mjs|cjs|ts|jl|lua|r|json|jsonl|ya?ml|toml|ini|cfg|conf|env|txt|csv|tsv|parquet|arrow|npy|npz|h5|hdf5|pkl|pickle|pt|pth|ckpt|safetensors|gguf|onnx|bin|log|out|err|tar|gz|tgz|zip|whl)$/i

/** A text with blanks or a program's own characters is no path, unless it begins like one. */
function isText({ text, quoted }: ShellWord): boolean {
  return quoted && /[\s"'{}()<>|;&]/.test(text) && !/^\.{0,2}\/|^~/.test(text)
}

function isRelativePath(word: string): boolean {
  // Only the value of an option or an assignment can be a path; of a list such as PYTHONPATH, each part.
  const value = word.replace(/^(--?[\w.-]+=|[A-Za-z_]\w*\+?=)/, '')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^[\w.-]+@[\w.-]+:/.test(value)) return false
  if (value === word && /^--?[A-Za-z]/.test(word)) return false
  return value.split(':').some(isRelativePart)
}

function isRelativePart(part: string): boolean {
  if (part === '' || isAbsolute(part)) return false
  if (/^\.{1,2}(\/|$)/.test(part) || part.startsWith('~')) return true
  if (/^\d+\/\d+$/.test(part)) return false
  return part.includes('/') || files.test(part)
}

function isModule(before: string | undefined, word: string): boolean {
  return (before === '-m' || before === '--module') && /^[\w.]+$/.test(word)
}

/** `owner/name` as model hubs write it, after an option that asks for a model, a data set or a tokenizer. */
function isNameOfModel(before: string | undefined, word: string): boolean {
  const joined = /^(--?[\w.-]+)=(.*)$/s.exec(word)
  const option = joined?.[1] ?? before
  const value = joined?.[2] ?? word
  return (
    option !== undefined &&
    /^--?[\w.-]*(model|repo|dataset|tokenizer|pretrained|checkpoint-id|hub)[\w.-]*$/i.test(option) &&
    /^[A-Za-z0-9][\w.-]*\/[\w.-]+$/.test(value) &&
    !files.test(value)
  )
}
