import { describe, expect, it } from 'vitest'
import { IgnoreRules } from './ignore-rules'

function rulesOf(texts: Record<string, string>): IgnoreRules {
  const rules = new IgnoreRules()
  for (const [directory, text] of Object.entries(texts)) rules.add(directory, text)
  return rules
}

describe('rules', () => {
  it('of a directory apply only below it and override those above', () => {
    const rules = rulesOf({ '': '*.log\nbuild/\n', sub: '!keep.log\n!build/\n/only-here\n' })
    expect(rules.ignores('a.log')).toBe(true)
    expect(rules.ignores('sub/a.log')).toBe(true)
    expect(rules.ignores('sub/keep.log')).toBe(false)
    expect(rules.ignores('sub/deeper/keep.log')).toBe(false)
    expect(rules.ignores('keep.log')).toBe(true)
    expect(rules.ignores('build/')).toBe(true)
    expect(rules.ignores('sub/build/')).toBe(false)
    expect(rules.ignores('sub/build/x')).toBe(false)
    expect(rules.ignores('sub/only-here')).toBe(true)
    expect(rules.ignores('sub/deeper/only-here')).toBe(false)
    expect(rules.ignores('only-here')).toBe(false)
  })

  it('cannot include a file again if its directory is excluded', () => {
    const rules = rulesOf({ '': 'data/\n!data/keep\n' })
    expect(rules.ignores('data/keep')).toBe(true)
  })

  it('are case-sensitive, and distinguish directories from files', () => {
    const rules = rulesOf({ '': 'Data\nout/\n' })
    expect(rules.ignores('data')).toBe(false)
    expect(rules.ignores('Data')).toBe(true)
    expect(rules.ignores('out')).toBe(false)
    expect(rules.ignores('out/')).toBe(true)
  })

  it('of a directory whose name looks like a pattern apply to that directory', () => {
    const rules = rulesOf({ 'a[1]*': '*.tmp\n' })
    expect(rules.ignores('a[1]*/x.tmp')).toBe(true)
    expect(rules.ignores('a1x/x.tmp')).toBe(false)
  })

  it('may be comments, empty, escaped, or have Windows line ends', () => {
    const rules = rulesOf({ sub: '\ufeff# no rule\r\n\r\n\\#file\r\n\\!file\r\na\\ \r\n' })
    expect(rules.ignores('sub/#file')).toBe(true)
    expect(rules.ignores('sub/!file')).toBe(true)
    expect(rules.ignores('sub/# no rule')).toBe(false)
    expect(rules.ignores('sub/other')).toBe(false)
  })
})
