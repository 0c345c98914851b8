import { describe, expect, it } from 'vitest'
import { pickProgramAndConfig, readFiles } from './read-files'

describe('readFiles', () => {
  it('reads both files and removes the token', async () => {
    const config = new File(['name: x\ntoken: "s3cret"\n'], 'config.yaml')
    const code = new File(['print("token: é")\n'], 'solution.py')
    expect(await readFiles({ config, code })).toEqual({
      change: { code: 'print("token: é")\n', config: 'name: x\n' },
      accepted: ['solution.py', 'config.yaml'],
      refused: [],
      droppedToken: true,
    })
  })

  it('reports a file that is not text and keeps the other', async () => {
    const code = new File([new Uint8Array([0xff, 0xfe, 0x00])], 'a.py')
    expect(await readFiles({ code, config: new File(['name: x\n'], 'b.yml') })).toEqual({
      change: { config: 'name: x\n' },
      accepted: ['b.yml'],
      refused: ['a.py is not UTF-8 text.'],
      droppedToken: false,
    })
  })
})

const file = (name: string, size = 10) => new File([new Uint8Array(size).fill(32)], name)

describe('pickProgramAndConfig', () => {
  it('finds the two files by extension in any order', () => {
    const [code, config] = [file('solution.py'), file('config.yaml')]
    expect(pickProgramAndConfig([code, config])).toEqual({ code, config })
    expect(pickProgramAndConfig([config, code])).toEqual({ code, config })
  })

  it('accepts a single file with any name', () => {
    const [code, config] = [file('Train.PY'), file('a.yml')]
    expect(pickProgramAndConfig([code])).toEqual({ code })
    expect(pickProgramAndConfig([config])).toEqual({ config })
  })

  it('leaves other files to a directory', () => {
    expect(pickProgramAndConfig([file('notes.txt')])).toBeNull()
    expect(pickProgramAndConfig([file('a.py'), file('b.py')])).toBeNull()
    expect(pickProgramAndConfig([file('a.py'), file('b.yaml'), file('c.yml')])).toBeNull()
  })
})

it('refuses files that are empty or too large, and takes the other', async () => {
  const picked = { code: file('big.py', 1024 * 1024 + 1), config: file('ok.yaml', 1024 * 1024) }
  expect(await readFiles(picked)).toMatchObject({
    accepted: ['ok.yaml'],
    refused: ['big.py is larger than 1 MiB.'],
  })
  expect((await readFiles({ code: file('empty.py', 0) })).refused).toEqual(['empty.py is empty.'])
})
