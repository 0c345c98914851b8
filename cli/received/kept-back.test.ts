import { expect, it } from 'vitest'
import { isInRepository, isRuleFile } from './kept-back'

it.each([
  '.gpuqignore',
  '.gitignore',
  'a/b/.GpuqIgnore',
  '.GITIGNORE',
  '.gpuqignore.',
  '.gpuqignore ',
  '.gp\u200duqignore',
  '.gpuq\ufe0fignore',
  '.\uff27itignore',
  '.gpuq\u0131gnore',
  'GPUQIG~1',
  '.gpuqignore/x',
])('%j is a rule file on some file system', (path) => expect(isRuleFile(path)).toBe(true))

it.each(['gpuqignore', '.gpuqignore.txt', 'x.gitignore', '.gpuqignored', '.dockerignore'])(
  '%j is not a rule file',
  (path) => expect(isRuleFile(path)).toBe(false),
)

it.each(['.git/hooks/x', 'a/.GIT', '.g\u200cit/x', '.git./config', 'GIT~1/config', '.g\u0131t/config'])(
  '%j is in a repository on some file system',
  (path) => expect(isInRepository(path)).toBe(true),
)

it.each(['git/x', '.github/x', '.gitattributes'])('%j is not in a repository', (path) =>
  expect(isInRepository(path)).toBe(false),
)
