import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { conflict } from '@/lib/contract/errors'
import { visibleOutput } from '@/lib/contract/text/visible-output'

/** Asks a question on the terminal. `hidden` does not show the typed text. */
export async function ask(asked: string, otherwise: string, hidden = false): Promise<string> {
  const question = visibleOutput(asked)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
  })
  // Ctrl-C and Ctrl-D: otherwise the command would wait for an answer that cannot come.
  lines.on('SIGINT', () => {
    process.stderr.write(hidden ? '' : '\n')
    lines.close()
  })
  const leaves = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(conflict('No answer given; nothing was changed.')))
  })
  try {
    if (hidden) process.stderr.write(question)
    const answer = await Promise.race([lines.question(hidden ? '' : question), leaves])
    return answer.trim() || otherwise
  } finally {
    process.stderr.write(hidden ? '\n' : '')
    lines.close()
  }
}
