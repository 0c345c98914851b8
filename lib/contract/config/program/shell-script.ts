/** A text with the line ends of Unix. Editors on Windows end lines with CR LF, and a shell takes the CR as a part of the line. */
export function withUnixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Whether the first line of a text names the program that runs it: `#!/bin/bash`. */
export function hasInterpreter(text: string): boolean {
  return text.startsWith('#!')
}

/**
 * The name of the program that the first line of a script names, without its directory and version: `bash`, `python`. Null: the
 * first line names none.
 */
export function interpreterOf(script: string): string | null {
  const line = /^#!\s*(.*)/.exec(script)?.[1]
  const words = line?.trim().split(/\s+/) ?? []
  const [program, ...rest] = words.map((word) => word.slice(word.lastIndexOf('/') + 1))
  const named =
    program === 'env' ? rest.find((word) => !word.startsWith('-') && !word.includes('=')) : program
  return named ? named.replace(/[\d.]+$/, '') : null
}

/** Whether an interpreter reads the language of a shell. */
export function isShell(interpreter: string): boolean {
  return /^(sh|bash|dash|ash|zsh|ksh|mksh)$/.test(interpreter)
}
