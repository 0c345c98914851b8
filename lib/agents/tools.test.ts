import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tools } from './tools'

it('the table of tools in docs/agents.md has each tool once, and no other', () => {
  const text = readFileSync(join(process.cwd(), 'docs', 'agents.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (`\w+GPU\w+`.*?) \|/gm)].flatMap(([, cell = '']) => [
    ...cell.matchAll(/`(\w+)`/g),
  ])
  expect(rows.map(([, name]) => name).sort()).toEqual(tools.map(({ name }) => name).sort())
})
