import { describe, expect, it } from 'vitest'
import { sortFiles } from './sort-files'

const file = (name: string, size = 10) => ({ name, size })

describe('sortFiles', () => {
  it('finds the two files by extension in any order', () => {
    const [code, config] = [file('solution.py'), file('config.yaml')]
    expect(sortFiles([code, config])).toEqual({ code, config, refused: [] })
    expect(sortFiles([config, code])).toEqual({ code, config, refused: [] })
  })

  it('accepts a single file with any name', () => {
    expect(sortFiles([file('Train.PY')])).toEqual({ code: file('Train.PY'), refused: [] })
    expect(sortFiles([file('a.yml')])).toEqual({ config: file('a.yml'), refused: [] })
  })

  it('reports refused files and accepts the others', () => {
    const files = [
      file('notes.txt'),
      file('a.py'),
      file('b.py'),
      file('big.yaml', 1024 * 1024 + 1),
      file('empty.yaml', 0),
      file('ok.yaml', 1024 * 1024),
    ]
    const { code, config, refused } = sortFiles(files)
    expect([code?.name, config?.name]).toEqual(['a.py', 'ok.yaml'])
    expect(refused).toEqual([
      'notes.txt is not a .py or .yaml file.',
      'b.py was ignored: a.py came first.',
      'big.yaml is larger than 1 MiB.',
      'empty.yaml is empty.',
    ])
  })
})
