import { describe, expect, it } from 'vitest'
import { parseWorkspaces, workspaceOf } from './workspaces'

const read = (text: string) => {
  const parsed = parseWorkspaces(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.workspaces
}

describe('the directories of projects', () => {
  it('are named one by one, or by a root for all others, or both', () => {
    const workspaces = read('Ada/thesis=/data/thesis, /workspace')
    const own = (path: string) => ({ path, shared: false })
    expect(workspaceOf(workspaces, { owner: 'ada', slug: 'thesis' })).toEqual(own('/data/thesis'))
    expect(workspaceOf(workspaces, { owner: 'ada', slug: 'Thesis' })).toEqual(own('/workspace/ada/Thesis'))
    expect(workspaceOf(workspaces, { owner: 'Bob', slug: 'p' })).toEqual(own('/workspace/Bob/p'))
    expect(workspaceOf(read('ada/thesis=/data/thesis'), { owner: 'bob', slug: 'thesis' })).toBeNull()
    expect(workspaceOf(undefined, { owner: 'ada', slug: 'thesis' })).toBeNull()
  })

  it('may be one for a project of every user, unless the user has another one', () => {
    const workspaces = read('*/default=/srv/team,ada/default=/srv/ada,/workspace')
    const pathOf = (owner: string, slug: string) => workspaceOf(workspaces, { owner, slug })
    expect(pathOf('bob', 'default')).toEqual({ path: '/srv/team', shared: true })
    expect(pathOf('ada', 'default')).toEqual({ path: '/srv/ada', shared: false })
    expect(pathOf('bob', 'other')).toEqual({ path: '/workspace/bob/other', shared: false })
  })

  it.each([
    ['', /absolute path/],
    ['workspace', /absolute path/],
    ['/a/../b', /absolute path/],
    ['/a//b', /absolute path/],
    ['/a/', /absolute path/],
    ['/', /absolute path/],
    ['ada=/data', /OWNER\/PROJECT/],
    ['ada/x/y=/data', /OWNER\/PROJECT/],
    ['../x=/data', /OWNER\/PROJECT/],
    ['/a,/b', /only one/],
    ['ada/x=/a,ADA/x=/b', /twice/],
    ['*/x=/a,*/x=/b', /twice/],
    ['*/*=/a', /OWNER\/PROJECT/],
    ['*/x=/data,ada/y=/data/y', /overlap/],
    ['ada/x=/data,bob/y=/data/y', /overlap/],
    ['ada/x=/data,bob/y=/data', /overlap/],
    ['/workspace,ada/x=/workspace/ada/x', /overlap/],
    ['/tmp/share', /for another purpose/],
    ['/work', /for another purpose/],
    ['ada/x=/usr/share/x', /for another purpose/],
  ])('the directories of projects that cannot be meant are refused: %s', (text, message) => {
    expect(parseWorkspaces(text)).toEqual({ ok: false, message: expect.stringMatching(message) })
  })

  it('may begin like a place of the container without being in it', () => {
    expect(read('/workspace').root).toBe('/workspace')
    expect(read('/data-a,ada/x=/data').paths.get('ada/x')).toBe('/data')
  })
})
