import { describe, expect, it } from 'vitest'
import { cachedRootfsName, followDebian, followEngine, parseSize, registryRecipe } from './image-recipes.mjs'

describe('the cached file system', () => {
  it('keeps its name until the recipe or the architecture changes', () => {
    expect(cachedRootfsName('amd64')).toBe(cachedRootfsName('amd64'))
    expect(cachedRootfsName('amd64')).not.toBe(cachedRootfsName('arm64'))
    expect(cachedRootfsName('amd64')).toMatch(/^python-[0-9a-f]{16}\.tar$/)
  })
})

describe('the public image', () => {
  it.each(['amd64', 'arm64'])(
    'has a fixed tag on %s, and adds the packages that jobs expect',
    (architecture) => {
      const { base, dockerfile } = registryRecipe(architecture)
      expect(base).toMatch(/:\d/)
      expect(dockerfile).toContain(`FROM ${base}\n`)
      expect(dockerfile).toMatch(/pandas==.*[\s\S]*--uid 10001/)
    },
  )
})

describe('progress of a build from packages', () => {
  it('reports downloaded and unpacked packages', () => {
    const notes: string[] = []
    const follow = followDebian((note) => notes.push(note))
    for (const line of [
      'I: downloading packages with apt...',
      '0 upgraded, 69 newly installed, 0 to remove and 0 not upgraded.',
      'Get:1 http://mirror.example/debian bookworm/main amd64 libc6 amd64 2.36-9 [2,760 kB]',
      'Get:2 http://mirror.example/debian bookworm/main amd64 dash amd64 0.5.12-2 [97.4 kB]',
      '0 upgraded, 372 newly installed, 0 to remove and 0 not upgraded.',
      'Unpacking python3-torch (1.13.1+dfsg-4) ...',
      'Setting up python3-torch (1.13.1+dfsg-4) ...',
      'I: creating tarball...',
    ])
      follow(line)
    expect(notes).toEqual([
      'downloading packages, 3 MB',
      'downloading packages, 3 MB',
      'unpacking package 1 of 441',
      'setting up package 1 of 441',
      'creating the file system archive',
    ])
  })

  it.each([
    ['29.7 MB', 29.7e6],
    ['2,760 kB', 2.76e6],
    ['812 B', 812],
    ['a lot', 0],
  ])('reads %s', (text, bytes) => expect(parseSize(text)).toBe(bytes))
})

describe('progress of a pull', () => {
  it('sums up the layers and shows the build steps', () => {
    const notes: string[] = []
    const follow = followEngine((note) => notes.push(note))
    follow({ id: 'a', status: 'Downloading', progressDetail: { current: 1e6, total: 2e6 } })
    follow({ id: 'b', status: 'Downloading', progressDetail: { current: 5e6, total: 1e9 } })
    expect(notes.at(-1)).toBe('downloading 6 MB of 1.00 GB')
    follow({ stream: 'Step 2/5 : RUN pip install pandas\n' })
    follow({ stream: '\n' })
    expect(notes.at(-1)).toBe('Step 2/5 : RUN pip install pandas')
  })
})
