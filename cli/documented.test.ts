import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProgram } from './program'

const docs = join(import.meta.dirname, '..', 'docs')

/** Every `gpuq …` command of a page, from inline code and code blocks. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(docs, page), 'utf8')
  const spans = [...text.matchAll(/`(gpuq [^`]+)`/g)].map(([, command = '']) => command)
  const blocks = [...text.matchAll(/^```bash\n(.*?)^```/gms)].map(([, block = '']) => block).join('')
  const lines = [...blocks.matchAll(/^(?:\w+=\S+ )*(gpuq .+?)(?: +#.*)?$/gm)].map(
    ([, command = '']) => command,
  )
  return [...spans, ...lines]
}

describe.each(['coming-from.md', 'one-machine.md', 'user-guide.md'])('%s', (page) => {
  it('documents only commands and options that exist', () => {
    const commands = commandsOf(page)
    expect(commands.length).toBeGreaterThan(3)
    for (const written of commands) {
      const [, name = '', ...words] = written.split(/\s+/)
      let command = createProgram().commands.find((one) => one.name() === name)
      if (name.startsWith('-') || !/^[a-z]+$/.test(name)) continue
      expect(command, written).toBeDefined()
      const [sub] = words
      command = command?.commands.find((one) => one.name() === sub) ?? command
      const own = words.slice(0, words.indexOf('--') === -1 ? undefined : words.indexOf('--'))
      const known = ['--help', ...(command?.options ?? []).flatMap(({ long, short }) => [long, short])]
      for (const word of own.filter((one) => /^--?[a-z]/.test(one))) {
        expect(known, written).toContain(word.replace(/[=,.].*$/, ''))
      }
    }
  })
})
