import { createHash } from 'node:crypto'
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WorkingFile } from '@/lib/working-files/contract'
import { fakeContext, idOf, jobId } from '../testing/fake-context'
import { JobSync } from './job-sync'
import { createState, newState, readState, readStates, removeState, saveState } from './sync-state'

let parent: string
let directory: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'gpuq-sync-'))
  directory = join(parent, 'project')
  await mkdir(directory)
})
afterEach(() => rm(parent, { recursive: true }))

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const local = (path: string) => readFile(join(directory, path), 'utf8')
const put = (path: string, text: string) => writeFile(join(directory, path), text)
const names = async () =>
  (await readdir(parent, { recursive: true })).filter((name) => name !== 'project').toSorted()

function refuse(status: number, code: string): Response {
  return Response.json({ type: 'about:blank', title: code, status, detail: 'Not there.', code }, { status })
}

/** A server with versions of files, and the synchronization with it. */
async function open(shipped: Record<string, string> = {}) {
  const versions: (WorkingFile & { text: string })[] = []
  const context = fakeContext((request) => {
    const { pathname, searchParams } = new URL(request.url)
    const list = `/api/jobs/${jobId}/working-files`
    if (pathname === list) {
      const after = Number(searchParams.get('after'))
      const files = versions.filter(({ version }) => version > after).map(({ text: _, ...file }) => file)
      const next = files.at(-1)?.version ?? after
      return Response.json({ working_directory: directory, files, next, more: false, ended: true })
    }
    const found = versions.find(({ file_id }) => pathname === `${list}/${file_id}`)
    if (found?.text === 'lost') return refuse(410, 'content_lost')
    return found && found.text !== 'replaced' ? new Response(found.text) : refuse(404, 'not_found')
  })
  const state = newState({ jobId, server: 'http://gpuq.test', directory, shipped })
  const reports: string[] = []
  const sync = new JobSync({
    client: await context.connect(),
    state,
    save: async () => {},
    report: (message) => void reports.push(message),
    signal: new AbortController().signal,
  })
  /** The job writes a file; then all changes are brought back. */
  const change = async (path: string, text: string, more: Partial<WorkingFile> = {}) => {
    const version = versions.length + 1
    const size = { bytes: Buffer.byteLength(text), sha256: hash(text) }
    versions.push({
      file_id: idOf(version),
      rank: 0,
      path,
      executable: false,
      version,
      text,
      ...size,
      ...more,
    })
    await sync.bringBack()
  }
  return { state, reports, change }
}

describe('a file of a job', () => {
  it('returns with each version, also into new directories', async () => {
    const { change, reports } = await open()
    await change('out/train.log', 'step 1\n')
    expect(await local('out/train.log')).toBe('step 1\n')
    await change('out/train.log', 'step 1\nstep 2\n')
    expect(await local('out/train.log')).toBe('step 1\nstep 2\n')
    await change('run.sh', '#!/bin/sh\n', { executable: true })
    expect((await stat(join(directory, 'run.sh'))).mode & 0o100).toBe(0o100)
    expect(reports).toEqual([])
    expect(await names()).toEqual(['project/out', 'project/out/train.log', 'project/run.sh'])
  })

  it('replaces a local file as it was sent, and keeps its permissions', async () => {
    await put('config.json', 'sent')
    await chmod(join(directory, 'config.json'), 0o600)
    const { change } = await open({ 'config.json': hash('sent') })
    await change('config.json', 'by the job')
    expect(await local('config.json')).toBe('by the job')
    expect((await stat(join(directory, 'config.json'))).mode & 0o777).toBe(0o600)
  })

  it('never overwrites a local file that was changed meanwhile, and is stored beside it', async () => {
    await put('notes.txt', 'changed here')
    const { change, reports } = await open({ 'notes.txt': hash('sent') })
    await change('notes.txt', 'by the job')
    const beside = `notes.txt.gpuq-${jobId}`
    expect([await local('notes.txt'), await local(beside)]).toEqual(['changed here', 'by the job'])
    expect(reports).toEqual([
      `notes.txt: it was changed here meanwhile, and stays as it is. The job's version is ${beside}.`,
    ])
    await change('notes.txt', 'later, by the job')
    expect([await local('notes.txt'), await local(beside)]).toEqual(['changed here', 'later, by the job'])
    expect(reports).toHaveLength(1)
    await put(beside, 'changed here too')
    await change('notes.txt', 'last')
    expect([await local('notes.txt'), await local(beside)]).toEqual(['changed here', 'changed here too'])
    expect(reports[1]).toContain('so was the copy of the job')
  })

  it('is not written if a rule of .gpuqignore excludes it, but a .gitignore does not matter', async () => {
    await mkdir(join(directory, 'data'))
    await put('.gpuqignore', '*.tmp\n')
    await put('data/.gpuqignore', '/cache/\n')
    await put('.gitignore', '*.log\n')
    const { change } = await open()
    for (const path of [
      'a.tmp',
      'data/cache/x',
      'cache/x',
      'train.log',
      '.git/hooks/x',
      'a/.GIT/hooks/x',
      '.g\u200cit/x',
    ])
      await change(path, 'text')
    const written = (await names()).filter((name) => !name.includes('ignore'))
    expect(written).toEqual(['project/cache', 'project/cache/x', 'project/data', 'project/train.log'])
  })

  it.each(['../outside', '/etc/passwd', 'a/../../outside', 'a//b', '', 'a\\b', 'a\nb', '.'])(
    'a file of a job of a hostile server cannot have the path %j',
    async (path) => {
      const { change, reports } = await open()
      await change(path, 'an attack')
      expect(await names()).toEqual([])
      expect(reports).toHaveLength(1)
    },
  )

  it.each([
    '.gpuqignore',
    'data/.gpuqignore',
    '.GpuqIgnore',
    '.gitignore',
    'new/.gitignore',
    '.gpuq\u200dignore',
  ])('never returns as %j, because its rules decide what is sent from here', async (path) => {
    const before = await names()
    const { change, reports } = await open({ '.gpuqignore': hash('secrets/') })
    await change(path, '!secrets/')
    expect(await names()).toEqual(before)
    expect(reports).toEqual([expect.stringContaining("so the job's version does not return")])
  })

  it('cannot replace a rule file that was sent with the job', async () => {
    await put('.gpuqignore', 'secrets/')
    const { change } = await open({ '.gpuqignore': hash('secrets/') })
    await change('.gpuqignore', '')
    expect(await local('.gpuqignore')).toBe('secrets/')
  })

  it('replaces a hard link instead of writing through it', async () => {
    await put('../target', 'sent')
    await link(join(parent, 'target'), join(directory, 'file'))
    const { change } = await open({ file: hash('sent') })
    await change('file', 'by the job')
    expect([await local('file'), await local('../target')]).toEqual(['by the job', 'sent'])
  })

  it('is not written through a local link', async () => {
    await mkdir(join(parent, 'elsewhere'))
    await put('../target', 'outside')
    await symlink('../elsewhere', join(directory, 'link'))
    await symlink('../target', join(directory, 'file'))
    const { change, reports } = await open()
    await change('link/file', 'an attack')
    await change('file', 'an attack')
    expect(await readdir(join(parent, 'elsewhere'))).toEqual([])
    expect(await local('../target')).toBe('outside')
    expect(reports).toEqual([
      'link/file: link is a link here. Remove or rename it.',
      expect.stringContaining(`file.gpuq-${jobId}`),
    ])
  })

  it('is not written if the content is not what the server announced', async () => {
    const { change, reports } = await open()
    await change('model.pt', 'other content', { sha256: hash('announced') })
    await change('long.pt', 'more than announced', { bytes: 4 })
    expect(await names()).toEqual([])
    expect(reports).toHaveLength(2)
  })

  it('is named if gpuq has lost its content, and the others return', async () => {
    const { change, reports } = await open()
    await change('log', 'lost')
    await change('model.pt', 'weights')
    expect(await names()).toEqual(['project/model.pt'])
    expect(reports).toEqual(['log: the storage of gpuq has lost its content. Tell your admin.'])
  })

  it('is left out if a later version has replaced it', async () => {
    const { change, reports } = await open()
    await change('log', 'replaced')
    expect(await names()).toEqual([])
    await change('log', 'new')
    expect([await local('log'), reports]).toEqual(['new', []])
  })
})

it('reports once that the server does not answer, and continues', async () => {
  const reports: string[] = []
  let failures = 4
  const workingFiles = async () => {
    if (failures-- > 0) throw new TypeError('fetch failed')
    return { working_directory: directory, files: [], next: 0, more: false, ended: true }
  }
  const context = fakeContext(() => refuse(404, 'not_found'))
  const { jobs } = await context.connect()
  const sync = new JobSync({
    client: { jobs: { ...jobs, workingFiles } },
    state: newState({ jobId, server: 'http://gpuq.test', directory, shipped: {} }),
    save: async () => {},
    report: (message) => void reports.push(message),
    signal: new AbortController().signal,
    everyMs: 1,
  })
  expect(await sync.run()).toBe(true)
  expect(reports).toEqual(['The connection to gpuq breaks off. Retrying.'])
})

describe('the state', () => {
  it.each(['../../outside', '/tmp/outside', '..', '', 'a/b'])(
    'the state of a hostile server with the id %j creates and removes nothing',
    async (id) => {
      const cache = join(parent, 'a', 'cache')
      const env = { XDG_CACHE_HOME: cache, NODE_ENV: 'test' } as const
      await mkdir(join(cache, 'outside'), { recursive: true })
      const state = newState({ jobId: id, server: 'http://gpuq.test', directory, shipped: {} })
      for (const act of [createState, saveState]) await expect(act(env, state)).rejects.toThrow('not a UUID')
      for (const act of [readState, removeState]) await expect(act(env, id)).rejects.toThrow('not a UUID')
      expect(await readdir(cache)).toEqual(['outside'])
    },
  )

  it('continues in a later session, and is removed at the end', async () => {
    const env = { XDG_CACHE_HOME: parent, NODE_ENV: 'test' } as const
    const { change, state } = await open({ 'train.py': hash('sent') })
    await createState(env, state)
    await change('train.log', 'step 1')
    await saveState(env, state)
    expect(await readState(env, jobId)).toEqual({
      ...state,
      after: 1,
      shipped: { 'train.py': hash('sent') },
      returned: { 'train.log': hash('step 1') },
    })
    await mkdir(join(parent, 'gpuq', 'sync', '-'.repeat(36)))
    expect(await readStates(env)).toHaveLength(1)
    await removeState(env, jobId)
    expect([await readState(env, jobId), await readStates(env)]).toEqual([null, []])
  })
})
