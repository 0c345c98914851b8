import { describe, expect, it } from 'vitest'
import { readFiles, sortFiles } from './read-files'

describe('readFiles', () => {
  it('reads both files and removes the token', async () => {
    const files = [
      new File(['name: x\ntoken: "s3cret"\n'], 'config.yaml'),
      new File(['print("token: é")\n'], 'solution.py'),
    ]
    expect(await readFiles(files)).toEqual({
      change: { code: 'print("token: é")\n', config: 'name: x\n' },
      accepted: ['solution.py', 'config.yaml'],
      refused: [],
      droppedToken: true,
    })
  })

  it('reports a file that is not text and keeps the other', async () => {
    const files = [new File([new Uint8Array([0xff, 0xfe, 0x00])], 'a.py'), new File(['name: x\n'], 'b.yml')]
    expect(await readFiles(files)).toEqual({
      change: { config: 'name: x\n' },
      accepted: ['b.yml'],
      refused: ['a.py is not UTF-8 text.'],
      droppedToken: false,
    })
  })
})

const file = (name: string, size = 10) => new File([new Uint8Array(size)], name)

describe('sortFiles', () => {
  it('finds the two files by extension in any order', () => {
    const [code, config] = [file('solution.py'), file('config.yaml')]
    for (const files of [
      [code, config],
      [config, code],
    ]) {
      const sorted = sortFiles(files)
      expect(sorted.code).toBe(code)
      expect(sorted.config).toBe(config)
      expect(sorted.refused).toEqual([])
    }
  })

  it('accepts a single file with any name', () => {
    const [code, config] = [file('Train.PY'), file('a.yml')]
    expect(sortFiles([code]).code).toBe(code)
    expect(sortFiles([config]).config).toBe(config)
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
