import { describe, expect, it } from 'vitest'
import { IgnoreRules } from './ignore-rules'

function rulesOf(texts: Record<string, string>): IgnoreRules {
  const rules = new IgnoreRules()
  for (const [directory, text] of Object.entries(texts)) rules.add(directory, '.gitignore', text)
  return rules
}

describe('rules', () => {
  it('rules of a directory apply only below it and override those above', () => {
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

  it('rules of a directory whose name looks like a pattern apply to that directory', () => {
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

  it('never include a repository', () => {
    const rules = rulesOf({ '': '!.git\n' })
    expect(rules.ignores('.git/')).toBe(true)
    expect(rules.ignores('sub/.git')).toBe(true)
    expect(rules.ignores('sub/.gitignore')).toBe(false)
  })
})

describe('an explanation', () => {
  it('names the rule with its file and line', () => {
    const rules = new IgnoreRules()
    rules.add('', '.gitignore', '# weights\n*.ckpt\n\ndata/\n')
    rules.add('pkg', '.gitignore', '/tmp*\n')
    rules.add('pkg', '.gpuqignore', '!best.ckpt\n  \n*.log\n')
    expect(rules.explain('a.ckpt')).toEqual({ pattern: '*.ckpt', file: '.gitignore', line: 2 })
    expect(rules.explain('pkg/best.ckpt')).toBeNull()
    expect(rules.explain('pkg/tmp1')).toEqual({ pattern: '/tmp*', file: 'pkg/.gitignore', line: 1 })
    expect(rules.explain('pkg/x/y.log')).toEqual({ pattern: '*.log', file: 'pkg/.gpuqignore', line: 3 })
    expect(rules.explain('train.py')).toBeNull()
  })

  it('an explanation of a file in an excluded directory is the rule of the directory', () => {
    const rules = rulesOf({ '': '*.csv\ndata/\n' })
    expect(rules.explain('data/deep/table.csv')).toEqual({ pattern: 'data/', file: '.gitignore', line: 2 })
  })

  it('an explanation of a repository is a default rule without a file', () => {
    expect(new IgnoreRules().explain('.git/config')).toEqual({ pattern: '.git', file: null, line: null })
  })
})
