import { isWithin, reservedDirectories } from '../config/mounts'
import { type ProgramCall, readProgramCalls, splitOptions } from './shell-commands'

/** The paths of a command's programs, of their scripts, and the directories of `cd`. */
export function startPathsOf(command: string): string[] {
  return readProgramCalls(command).flatMap(pathsOfCall)
}

/** Everything in a command that looks like an absolute path. */
export function absolutePathsOf(command: string): string[] {
  return Array.from(command.matchAll(/(?<=^|[\s='">])\/\w[^\s'"`;&|()<>:,]*/g), ([path]) => path)
}

/** The first path of {@link startPathsOf} that is relative; undefined if there is none, or if it comes after a `cd`. */
export function findRelative(command: string): string | undefined {
  // A path that starts with a variable is unknown.
  return callsAtStart(command)
    .flatMap(pathsOfCall)
    .find((path) => !/^[/$]/.test(path))
}

/**
 * The words of a command that may be paths of files in the directory where it starts: programs with a path, operands, the values of
 * options, and modules of Python. Most of them are none: only the directory can tell.
 */
export function relativeNamesOf(command: string): string[] {
  const words = callsAtStart(command).flatMap(({ program, args }) => {
    const values = args.flatMap((arg) => (arg.startsWith('-') ? arg.split('=').slice(1) : [arg]))
    return [...(program.includes('/') ? [program] : []), ...values, ...modulesOf({ program, args })]
  })
  return [...new Set(words.filter((word) => /^[^/$~*?{}-][^$*?{}\n]*$/.test(word)))]
}

/** The programs that start in the directory of the command, up to the first `cd`. */
function callsAtStart(command: string): ProgramCall[] {
  const calls = readProgramCalls(command)
  const found = calls.findIndex(({ program }) => program === 'cd')
  return found === -1 ? calls : calls.slice(0, found + 1)
}

/** The files of the module that `python -m` runs. */
function modulesOf({ program, args }: ProgramCall): string[] {
  if (!/(^|\/)python[\d.]*$/.test(program)) return []
  const { options, operands } = splitOptions(args)
  const [module] = operands
  if (module === undefined || !options.some((option) => /^-[A-Za-z]*m$/.test(option))) return []
  const path = module.replaceAll('.', '/')
  return [`${path}.py`, `${path}/__main__.py`]
}

/**
 * The absolute paths that a job will not have. Directories that every image has may hold them.
 * @param provided the directories that the job gets besides its image.
 */
export function findMissing(paths: readonly string[], provided: readonly string[]): string[] {
  const known = [...reservedDirectories, '/opt', ...provided]
  const exists = (path: string) =>
    path === '' || known.some((directory) => isWithin(path, directory) || isWithin(directory, path))
  return [...new Set(paths.filter((path) => path.startsWith('/') && !exists(fixedPart(path))))]
}

/** Directories that are empty when a job starts, unless it gets files there. */
const emptyDirectories = ['/work', '/tmp', '/results']

/**
 * The paths of the first program of a command that would be in a directory which is still empty. A later program may run
 * what an earlier one wrote.
 */
export function findUnwritten(command: string, provided: readonly string[]): string[] {
  const first = readProgramCalls(command).find(({ program }) => program !== 'cd')
  if (first === undefined) return []
  const isEmpty = (path: string) =>
    emptyDirectories.some((directory) => path.startsWith(`${directory}/`)) &&
    !provided.some((directory) => isWithin(path, directory))
  return pathsOfCall(first).filter(isEmpty)
}

/** A path without the part that the shell expands, and without a slash at its end. */
function fixedPart(path: string): string {
  const [start = ''] = path.split(/[$*?[]/)
  return withoutDots(start === path ? path : start.slice(0, start.lastIndexOf('/') + 1))
}

/** An absolute path without `.`, `..` and repeated slashes, and without a slash at its end. */
function withoutDots(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(`/${segment}`)
  }
  return segments.join('')
}

function pathsOfCall({ program, args }: ProgramCall): string[] {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const operand = operandOf(name, args)
  return [
    ...(program.includes('/') || isScript(program) ? [program] : []),
    ...(operand === undefined ? [] : [operand]),
  ]
}

const isScript = (word: string) => /^[^-].*\.(sh|py)$/.test(word)

/** The script or the directory that a program gets as its operand. */
function operandOf(name: string, args: readonly string[]): string | undefined {
  if (/^(cd|pushd)$/.test(name)) return args.find((arg) => !arg.startsWith('-'))
  if (/^(torchrun|accelerate|deepspeed|mpirun|mpiexec)$/.test(name)) return args.find(isScript)
  if (!/^((ba|da|z|k)?sh|source|\.|python[\d.]*)$/.test(name)) return undefined
  const { options, operands } = splitOptions(args)
  const has = (flag: string) => options.some((option) => new RegExp(`^-[A-Za-z]*${flag}$`).test(option))
  if (has('m')) return operands.slice(1).find(isScript)
  return has('c') || has('s') || operands[0] === '-' ? undefined : operands[0]
}
