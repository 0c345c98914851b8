import { describe, expect, it } from 'vitest'
import { splitDocument, toPlainText } from './split-document'

const text = `# A **guide**

Before.

## First \`part\`

Text.

### Below

\`\`\`\`bash
## not a heading
\`\`\`
### nor this
\`\`\`\`

## First part

More.
`

describe('a document', () => {
  const { title, sections } = splitDocument(text)

  it('has a section for each heading of the second level', () => {
    expect(title).toBe('A guide')
    expect(sections.map(({ heading }) => heading?.text ?? null)).toEqual([null, 'First part', 'First part'])
    expect(sections.map(({ markdown }) => markdown.split('\n')[0])).toEqual(['Before.', 'Text.', 'More.'])
  })

  it('has the anchors of a Git host, which are unique in the document', () => {
    expect(sections.flatMap(({ headings }) => headings.map(({ id }) => id))).toEqual([
      'first-part',
      'below',
      'first-part-1',
    ])
  })

  it('has no headings in code', () => {
    expect(sections[1]?.markdown).toContain('## not a heading\n```\n### nor this')
    expect(sections[1]?.headings.map(({ level, text }) => [level, text])).toEqual([
      [2, 'First part'],
      [3, 'Below'],
    ])
  })
})

it('plain text has no marks, no addresses and no fences', () => {
  expect(toPlainText('| a | b |\n| --- | --- |\n| **one** | [two](x.md#y) `three` |\n```sh\nls\n```')).toBe(
    'a b one two three ls',
  )
})
