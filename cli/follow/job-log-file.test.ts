import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { JobDetail } from '@/lib/contract/jobs'
import { detail, jobId } from '../testing/fake-context'
import { fileName, JobLogFile } from './job-log-file'

let directory: string
let warned: string[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-logs-'))
  warned = []
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const job = (changes: object = {}) => detail(changes) as unknown as JobDetail
const piece = (text: string, rank: number | null = null) => ({ stream: 'stdout' as const, text, rank })
const open = (path = join(directory, 'logs')) =>
  new JobLogFile(path, async (text) => {
    if (text !== '') warned.push(text)
  })
const read = async () => {
  const names = await readdir(join(directory, 'logs'))
  return Promise.all(names.toSorted().map((name) => readFile(join(directory, 'logs', name), 'utf8')))
}

it('has the id of the job and the time of its start in its name, and is private', async () => {
  const name = fileName(job())
  expect(name).toMatch(new RegExp(`^job_${jobId}_202[56]\\d{4}_\\d{6}\\.log$`))
  expect(fileName(job({ attempt: 2 }))).toBe(name.replace('.log', '_attempt2.log'))
  const file = open()
  await file.started(job())
  await file.write(piece('one\n'))
  await file.ended()
  expect(await readdir(join(directory, 'logs'))).toEqual([name])
  expect((await stat(join(directory, 'logs', name))).mode & 0o777).toBe(0o600)
})

it('continues a file of an earlier start without repeating it', async () => {
  for (const pieces of [
    ['one €\n', 'tw'],
    ['one ', '€\ntwo', '\nthree\n'],
  ]) {
    const file = open()
    await file.started(job())
    for (const text of pieces) await file.write(piece(text))
    await file.ended()
  }
  expect(await read()).toEqual(['one €\ntwo\nthree\n'])
})

it('labels the lines of several ranks, and has a file for each attempt', async () => {
  const file = open()
  await file.started(job())
  await file.write(piece('a\n', 0))
  await file.write(piece('b\n', 1))
  await file.ended()
  await file.started(job({ attempt: 2 }))
  await file.write(piece('again\n'))
  await file.ended()
  expect(await read()).toEqual(['[rank 0] a\n[rank 1] b\n', 'again\n'])
})

it('does not follow a link, and does not stop the job if it cannot write', async () => {
  await writeFile(join(directory, 'other'), 'untouched')
  await symlink(join(directory, 'other'), join(directory, fileName(job())))
  const file = open(directory)
  await file.started(job())
  await file.write(piece('x\n'))
  await file.ended()
  expect(await readFile(join(directory, 'other'), 'utf8')).toBe('untouched')
  expect(warned).toEqual([expect.stringMatching(/ELOOP.*--log-dir/)])
})

it('creates a directory that other users of the machine can use too if it is directly in /tmp', async () => {
  await rm(directory, { recursive: true })
  const shared = open(directory)
  await shared.started(job())
  await shared.ended()
  expect((await stat(directory)).mode & 0o7777).toBe(0o1777)
  await rm(directory, { recursive: true })
  const file = open()
  await file.started(job())
  await file.ended()
  expect((await stat(join(directory, 'logs'))).mode & 0o7777).toBe(0o700)
})
