import { readShellCommands, type ShellCommand, type ShellWord } from '../contract/config/shell-words'

type PathVerdict = { ok: true } | { ok: false; word: string | null; message: string }

const good: PathVerdict = { ok: true }
/** Maximum nesting of commands such as `sh -c "bash -c …"`. */
const maxDepth = 4

/**
 * Checks that every path in a command is absolute. A job runs on a different machine than the agent, so a relative
 * path such as `train.sh` would refer to another file or to none.
 * A path is a word that starts like a path, contains a slash or ends like a file name, the script of an interpreter,
 * and the target of `cd`. Options, plain words, URLs, the module after `-m`, words that start with a variable, and a
 * model's `owner/name` after a model option are not checked.
 */
export function checkAbsolutePaths(command: string, depth = 0): PathVerdict {
  if (depth > maxDepth) return refuse(null, 'its commands are nested too deeply: put them in a script')
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
    // `>&1` refers to a descriptor, and `&-` closes one.
    if (!isAbsolute(text) && !/^&(\d+|-)$/.test(text))
      return refuse(text, 'a redirection must use an absolute path')
  }
  const { program, args } = programOf(words)
  for (const { text } of words.slice(0, words.length - args.length)) {
    if (text !== '.' && isRelativePath(text))
      return refuse(text, 'the program must be an absolute path, or a name that is found in PATH')
  }
  if (program === null) return good
  return checkArguments(program, args, depth)
}

function checkArguments(program: string, args: readonly ShellWord[], depth: number): PathVerdict {
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (/^(cd|pushd)$/.test(name)) {
    const target = args.find(({ text }) => !text.startsWith('-'))
    if (target && !isAbsolute(target.text)) return refuse(target.text, `${name} must use an absolute path`)
  }
  const interpreter = interpreterOf(name)
  const operand = interpreter === null ? null : findOperand(args, interpreter)
  if (operand?.is === 'script' && !isAbsolute(operand.word.text)) {
    return refuse(operand.word.text, `the script for ${name} must be an absolute path`)
  }
  if (operand?.is === 'commands') {
    const inner = checkAbsolutePaths(operand.word.text, depth + 1)
    if (!inner.ok) return inner
  }
  const code = operand?.is === 'commands' || operand?.is === 'text' ? operand.word : null
  for (const [index, word] of args.entries()) {
    const before = args[index - 1]?.text
    if (word === code || isModule(before, word.text) || isModelName(before, word.text)) continue
    if (!isText(word) && isRelativePath(word.text)) return refuse(word.text, 'this path must be absolute')
  }
  return good
}

/** Words that may precede the program of a command. */
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
  /** The option whose value is the text of a program. */
  inline: RegExp
  /** Whether that text is for a shell. */
  shell: boolean
  /** Options whose value is a separate word. */
  valueOptions: RegExp
  /** The option whose value is the name of a module. */
  module: RegExp | null
}

const shell: Interpreter = {
  inline: /^-[A-Za-z]*c$/,
  shell: true,
  valueOptions: /^([-+][A-Za-z]*[oO]|--rcfile|--init-file)$/,
  module: null,
}
const python: Interpreter = {
  inline: /^-[A-Za-z]*c$/,
  shell: false,
  valueOptions: /^-[WX]$/,
  module: /^-[A-Za-z]*m$/,
}
const script: Interpreter = { inline: /^-[eEpr]$/, shell: false, valueOptions: /^$/, module: null }

function interpreterOf(name: string): Interpreter | null {
  if (/^(sh|bash|dash|zsh|ksh|ash)$/.test(name)) return shell
  if (/^python[\d.]*$/.test(name)) return python
  if (/^(source|\.|perl|ruby|node|Rscript|julia|lua|php)$/.test(name)) return script
  return null
}

type Operand = { is: 'script' | 'commands' | 'text' | 'module'; word: ShellWord }

/** Returns what an interpreter runs; null if there is nothing. */
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
    if (interpreter.valueOptions.test(text)) index++
    else if (text === '-' || text === '-s') return null
    else if (!/^[-+]./.test(text)) return { is: 'script', word }
  }
  return null
}

/** Absolute, or starts with an expansion, whose value is unknown here. */
function isAbsolute(text: string): boolean {
  return text.startsWith('/') || text.startsWith('$') || text === '-'
}

const files =
  /\.(sh|bash|zsh|py|ipynb|pl|rb|js|mjs|cjs|ts|jl|lua|r|json|jsonl|ya?ml|toml|ini|cfg|conf|env|txt|csv|tsv|parquet|arrow|npy|npz|h5|hdf5|pkl|pickle|pt|pth|ckpt|safetensors|gguf|onnx|bin|log|out|err|tar|gz|tgz|zip|whl)$/i

/** A text with blanks or code characters is not a path, unless it starts like one. */
function isText({ text, quoted }: ShellWord): boolean {
  return quoted && /[\s"'{}()<>|;&]/.test(text) && !/^\.{0,2}\/|^~/.test(text)
}

function isRelativePath(word: string): boolean {
  // Checks only the value of an option or assignment, and each part of a list such as PYTHONPATH.
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

/** `owner/name` of a model hub, after an option for a model, data set or tokenizer. */
function isModelName(before: string | undefined, word: string): boolean {
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
