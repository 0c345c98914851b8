import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readArguments, readSettings, root, withWorkdir } from './settings.mjs'

describe('settings', () => {
  it('have defaults, which also apply to empty variables', () => {
    const expected = { port: 8001, host: '127.0.0.1', dataDir: join(root, 'data') }
    expect(readSettings({ NODE_ENV: 'test' })).toEqual(expected)
    expect(readSettings({ NODE_ENV: 'test', PORT: '', HOST: '', GPUQ_DATA_DIR: '' })).toEqual(expected)
  })

  it.each(['0', '70000', 'http', '80.5'])('reject PORT=%s with instructions', (port) => {
    expect(() => readSettings({ NODE_ENV: 'test', PORT: port })).toThrow(/^PORT=.*1 to 65535/)
  })
})

describe('arguments', () => {
  const from = (...words: string[]) => readArguments(words, { NODE_ENV: 'test', INIT_CWD: root })

  it('may name the directory of commands, from where the user is', () => {
    expect(from()).toEqual({ workdir: null })
    expect(from('--workdir', 'docs')).toEqual({ workdir: join(root, 'docs') })
    expect(from(`--workdir=${root}`)).toEqual({ workdir: root })
    expect(withWorkdir(undefined, '/srv/p')).toBe('*/default=/srv/p')
    expect(withWorkdir('/workspace', '/srv/p')).toBe('/workspace,*/default=/srv/p')
  })

  it.each([
    [['--workdir'], /only option is --workdir PATH/],
    [['--work', 'docs'], /only option is --workdir PATH/],
    [['--workdir', 'docs', 'more'], /only option is --workdir PATH/],
    [['--workdir', 'package.json'], /is not a directory/],
    [['--workdir', 'missing'], /is not a directory/],
  ])('reject %j with instructions', (words, message) => {
    expect(() => from(...words)).toThrow(message)
  })
})
