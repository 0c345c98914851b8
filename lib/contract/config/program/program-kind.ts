import { parseJson } from '../../parse-json'
import { interpreterOf, isShell } from './shell-script'

/** The beginnings of files that hold other files. */
const archiveMarks: readonly { kind: string; at: number; bytes: readonly number[] }[] = [
  { kind: 'zip', at: 0, bytes: [0x50, 0x4b, 0x03, 0x04] },
  { kind: 'gzip', at: 0, bytes: [0x1f, 0x8b] },
  { kind: 'tar', at: 257, bytes: [0x75, 0x73, 0x74, 0x61, 0x72] },
  { kind: 'bzip2', at: 0, bytes: [0x42, 0x5a, 0x68] },
  { kind: 'xz', at: 0, bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { kind: '7z', at: 0, bytes: [0x37, 0x7a, 0xbc, 0xaf] },
]

/** What a file is that is sent as a program and is no Python: an archive, a notebook, a config, or a script for `program`. */
export type OtherKind =
  | { kind: 'archive' }
  | { kind: 'notebook' }
  | { kind: 'config' }
  | { kind: 'script'; program: string }

/** Whether a file has the name of a `config.yaml`. Its content does not tell: `command: ls` is a line of Python, too. */
export const isConfigName = (name: string) => /\.ya?ml$/i.test(name)

/**
 * What a file is that somebody sends as the Python program of a job; null: perhaps Python. Its content decides, and its name only for
 * scripts and configs: standard input and forms have no name.
 */
export function otherKindOf(content: Uint8Array, name: string): OtherKind | null {
  if (archiveMarks.some(({ at, bytes }) => bytes.every((byte, index) => content[at + index] === byte)))
    return { kind: 'archive' }
  if (isConfigName(name)) return { kind: 'config' }
  const text = new TextDecoder().decode(content)
  if (isNotebook(text)) return { kind: 'notebook' }
  const program = interpreterOf(text)
  if (program !== null) return /^(python|pypy|ipython)$/.test(program) ? null : { kind: 'script', program }
  return /\.(sh|bash)$/i.test(name) ? { kind: 'script', program: 'sh' } : null
}

/** A notebook is a JSON object, and no Python program is one. */
function isNotebook(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && 'cells' in value && 'nbformat' in value
}

/** What to send instead of a file that is no Python program. */
export interface Alternatives {
  archive: string
  config: (name: string) => string
  /** For a script that sh or a program of its first line runs. */
  script: (name: string) => string
}

/** Why a file is no program, and what to send instead; null: perhaps it is Python. */
export function refuseProgram(
  content: Uint8Array,
  name: string,
  { archive, config, script }: Alternatives,
): string | null {
  const found = otherKindOf(content, name)
  if (found === null) return null
  if (found.kind === 'archive') return `is an archive, not a Python program: ${archive}`
  if (found.kind === 'config') return `is a config, not a Python program: ${config(name)}`
  if (found.kind === 'notebook') {
    const how = 'convert it with `jupyter nbconvert --to script`, and send the .py file'
    return `is a Jupyter notebook, not a Python program: ${how}`
  }
  const what = isShell(found.program) ? 'a shell script' : `a script for ${found.program}`
  return `is ${what}, not a Python program: ${script(name)}`
}
