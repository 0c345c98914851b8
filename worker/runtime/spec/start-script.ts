import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareScript } from '../prepared/prepare-script'

/** The file below `/job` that starts the program of a warm container. */
export const startFile = '.start'

/** The same for a Python that has imported modules: what it needs to become the program. */
const pythonStartFile = '.start-python'

/** The directory below `/job` with what Python executes before its program. */
export const prepareDirectory = '.prepare'

/** Variables that a shell adds to the environment of its programs. */
const shellVariables = ['_', 'OLDPWD', 'PWD', 'SHLVL']
const withoutShellVariables = without(shellVariables)

function without(names: readonly string[]): string {
  return names.map((name) => `-u ${name}`).join(' ')
}

/**
 * Variables that some shell sets, protects, or obeys, such as PATH, with which it finds `env`, and those that the loader of `env`
 * obeys.
 */
const ofShells =
  /^(_|PATH|IFS|LANG|LANGUAGE|LINENO|PPID|PGRP|SHLVL|SHELLOPTS|EXECIGNORE|POSIXLY_CORRECT|RANDOM|SRANDOM|SECONDS|E?[GU]ID|USER_ID|USERNAME|GROUPS|DIRSTACK|FUNCNAME|PIPESTATUS|(BASH|COMP_|EPOCH|HIST|KSH|LC_|LD_|OPT|ZSH)\w*)$/

/** Whether a shell that exports a variable could change the value, fail, or behave differently. */
export const isOfShells = (name: string): boolean => ofShells.test(name)

/** How a job with a single file starts. Nothing else can use prepared imports. */
const pythonProgram = ['python', '-u', '/job/solution.py']

/**
 * What a warm container executes: it waits for a line, then runs the start file. An image without a shell or `env` ends
 * here, so that its jobs start without one.
 */
export const waitCommand = ['/bin/sh', '-c', `command -v env >/dev/null && read -r _ && . /job/${startFile}`]

/**
 * The same for a container that imports modules meanwhile. Python starts as it does for the job, with the variables and
 * input of a job, and finds the module of {@link prepareScript} before it opens the program. It waits at descriptor 3.
 */
export const prepareCommand = [
  '/bin/sh',
  '-c',
  [
    'command -v env >/dev/null &&',
    `exec env ${withoutShellVariables} "PYTHONPATH=/job/${prepareDirectory}\${PYTHONPATH:+:$PYTHONPATH}"`,
    `${pythonProgram.join(' ')} 3<&0 </dev/null`,
  ].join(' '),
]

/**
 * Returns the shell script that replaces the shell by a program. Every text is in single quotes, so that the shell
 * interprets none. The shell exports the variables, because every account of the machine can read the arguments of `env`.
 * @param environment variables as `NAME=value`; they are added to those of the container. None is one {@link isOfShells}.
 * @param command the program and its arguments. The program's name has no `=`.
 */
export function startScript(environment: readonly string[], command: readonly string[]): string {
  const variables = environment.map(splitVariable)
  const exported = variables.map(({ name, value }) => `export ${name}=${quote(value)}\n`).join('')
  const unset = shellVariables.filter((shells) => !variables.some(({ name }) => name === shells))
  return `${exported}exec env ${without(unset)} ${command.map(quote).join(' ')} </dev/null\n`
}

function splitVariable(variable: string): { name: string; value: string } {
  const end = variable.indexOf('=')
  return { name: variable.slice(0, end), value: variable.slice(end + 1) }
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns the variables and arguments of a Python program for a waiting Python; null for any other command. */
export function pythonStart(environment: readonly string[], command: readonly string[]): string | null {
  const isPython = pythonProgram.every((word, index) => command[index] === word)
  if (!isPython) return null
  const words = command.slice(pythonProgram.length)
  return `${environment.join('\0')}\0\0${words.map((word) => `${word}\0`).join('')}`
}

interface StartedProgram {
  environment: readonly string[]
  command: readonly string[]
  /** Whether a Python with prepared imports waits. */
  isPrepared: boolean
}

/** Writes the files that start a program. A reader never sees a part of one. */
export async function writeStartFiles(
  directory: string,
  { environment, command, isPrepared }: StartedProgram,
): Promise<void> {
  const forPython = isPrepared ? pythonStart(environment, command) : null
  await Promise.all([
    writeWhole(join(directory, startFile), startScript(environment, command)),
    forPython !== null && writeWhole(join(directory, pythonStartFile), forPython),
  ])
}

async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.part`, content, { mode: 0o644 })
  await rename(`${path}.part`, path)
}

/** Writes what a container with prepared imports reads when it starts. */
export async function writePrepareFiles(directory: string, modules: readonly string[]): Promise<void> {
  const own = join(directory, prepareDirectory)
  await mkdir(own, { mode: 0o755 })
  await writeFile(join(own, 'sitecustomize.py'), prepareScript, { mode: 0o644 })
  await writeFile(join(own, 'modules'), modules.join('\n'), { mode: 0o644 })
}
