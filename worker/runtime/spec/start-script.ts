import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The file below `/job` that starts the program of a warm container. */
export const startFile = '.start'

/**
 * What a warm container executes: it waits for a line, then runs the start file. An image without a shell or `env` ends
 * here, so that its jobs start without one.
 */
export const waitCommand = ['/bin/sh', '-c', `command -v env >/dev/null && read -r _ && . /job/${startFile}`]

/** Variables that a shell adds to the environment of its programs. */
const shellVariables = ['_', 'OLDPWD', 'PWD', 'SHLVL']

/**
 * Returns the shell script that replaces the shell by a program. Every text is in single quotes, so that the shell
 * interprets none.
 * @param environment variables as `NAME=value`; they are added to those of the container.
 * @param command the program and its arguments. The program's name has no `=`.
 */
export function startScript(environment: readonly string[], command: readonly string[]): string {
  const cleared = shellVariables.map((name) => `-u ${name}`).join(' ')
  const words = [...environment, ...command].map(quote).join(' ')
  return `exec env ${cleared} ${words} </dev/null\n`
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Writes the start file. A reader never sees a part of it. */
export async function writeStartFile(directory: string, script: string): Promise<void> {
  const path = join(directory, startFile)
  await writeFile(`${path}.part`, script, { mode: 0o644 })
  await rename(`${path}.part`, path)
}
