import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks on the terminal; `hidden` shows nothing of what is typed. */
export async function ask(question: string, otherwise: string, hidden = false): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
  })
  const interrupted = new AbortController()
  lines.on('SIGINT', () => interrupted.abort())
  try {
    if (hidden) process.stderr.write(question)
    const answer = await lines.question(hidden ? '' : question, { signal: interrupted.signal })
    return answer.trim() || otherwise
  } finally {
    if (hidden) process.stderr.write('\n')
    lines.close()
  }
}

export async function readAllOfStdin(): Promise<string> {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const part of process.stdin) text += part
  return text
}
