import { mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readSpec } from '@/lib/contract/config/stored-spec'
import { copyMarker } from '../archives/copy-marker'
import { removeMemoryDirectory } from '../files/memory-directory'
import { claimedTask } from '../node/task/testing/claimed-task'
import { createWorkingDirectory, isCopied, workingDirectoryOf } from './working-directory'

it('says that the uploaded files are not copied yet, also after a worker was killed before it could say so', async () => {
  const root = await mkdtemp(join(tmpdir(), 'gpuq-working-'))
  const tasksDirectory = join(root, 'tasks')
  const task = { ...claimedTask, spec: readSpec({ working_directory: '/workspace' }) }
  const directory = workingDirectoryOf(tasksDirectory, task.id)
  onTestFinished(async () => {
    await removeMemoryDirectory(directory)
    await rm(root, { recursive: true })
  })
  const prepare = () => createWorkingDirectory(tasksDirectory, task, { uid: 10_001, gid: 10_001 })
  await prepare()
  expect(await isCopied(directory)).toBe(false)
  await unlink(join(directory, copyMarker))
  expect(await isCopied(directory)).toBe(true)
  await prepare()
  expect(await isCopied(directory)).toBe(false)
  await prepare()
  expect(await isCopied(directory)).toBe(false)
})
