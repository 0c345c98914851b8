import { describe, expect, it } from 'vitest'
import { readFiles } from './read-files'

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
