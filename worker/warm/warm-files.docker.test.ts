import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  artifactsParent,
  createArtifactsDirectory,
  findArtifactsDirectory,
  removeArtifacts,
  workOf,
} from '../artifacts/artifacts-directory'
import { isMounted, removeAllMemoryDirectories } from '../files/memory-directory'
import { createWarmFiles, giveFilesTo, listWarmFiles, removeWarmFiles, warmFiles } from './warm-files'

const user = { uid: 70_001, gid: 70_001 }
const limits = { resultsLimitBytes: 1 << 20, workMemoryMib: 64 }

let root: string
let tasks: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-warm-'))
  tasks = join(root, 'tasks')
  await mkdir(tasks)
})

afterEach(async () => {
  await removeAllMemoryDirectories(root)
  await rm(root, { recursive: true })
})

it('gives the files of a warm container to a task, and leaves nothing', async () => {
  const files = warmFiles(tasks, 'a', true)
  await createWarmFiles(files, tasks, limits, user)
  await writeFile(join(files.results ?? '', 'file'), 'content')
  await writeFile(join(files.work ?? '', 'left'), 'left')
  expect(await giveFilesTo('task', files, tasks)).toBe(true)
  await removeWarmFiles(files)
  expect(await listWarmFiles(tasks)).toEqual([])

  const results = (await findArtifactsDirectory(tasks, 'task')) ?? ''
  expect(await isMounted(results)).toBe(true)
  expect(await readFile(join(results, 'file'), 'utf8')).toBe('content')
  expect(await isMounted(workOf(tasks, 'task'))).toBe(true)
  expect(await readFile(join(workOf(tasks, 'task'), 'left'), 'utf8')).toBe('left')
  await removeArtifacts(tasks, 'task')
  expect(await findArtifactsDirectory(tasks, 'task')).toBe(null)
  expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(root)
})

it.each(['directory', 'file system'])('gives no files to a task that has a %s', async (what) => {
  const own = what === 'directory' ? join(tasks, 'task') : artifactsParent(tasks, 'task')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'own'), 'own')
  const files = warmFiles(tasks, 'a', true)
  await createWarmFiles(files, tasks, limits, user)
  expect(await giveFilesTo('task', files, tasks)).toBe(false)
  expect(await readFile(join(own, 'own'), 'utf8')).toBe('own')
})

it('finds the files of a task that an earlier version started', async () => {
  const path = artifactsParent(tasks, 'task')
  await createArtifactsDirectory(path, 1 << 20, user)
  expect(await findArtifactsDirectory(tasks, 'task')).toBe(path)
  await removeArtifacts(tasks, 'task')
  expect(await isMounted(path)).toBe(false)
})
