import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeLeft, scriptAsRun } from './left-files'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-left-'))
})
afterEach(() => rm(root, { recursive: true }))

/** Writes a file at a second since 1970. */
async function write(path: string, content: string, second = 1000) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), content)
  await utimes(join(root, path), second, second)
}

const sentAs = (path: string, content: string) => ({
  path,
  bytes: Buffer.byteLength(content),
  sha256: createHash('sha256').update(content).digest('hex'),
})
const leftBeside = (...sent: ReturnType<typeof sentAs>[]) => describeLeft(root, async () => sent)

it('one file is named, with its size and what to do', async () => {
  await write('outputs/2024-01-01/best.ckpt', 'x'.repeat(1000))
  expect(await leftBeside()).toBe(
    'The program left 1 file (1000 B) in /work, which was not kept: outputs/2024-01-01/best.ckpt. Write files to /results to keep them.',
  )
})

it('several files are counted, and the largest is named so that it can be shown', async () => {
  await write('a.txt', 'a')
  await write('big\u202e\n.bin', 'x'.repeat(3000))
  expect(await leftBeside()).toBe(
    'The program left 2 files (2.9 KiB) in /work, which were not kept. The largest is big\\u{202e}\\u{a}.bin (2.9 KiB). Write files to /results to keep them.',
  )
})

it('nothing is said of empty files, caches and hidden names in the home directory', async () => {
  for (const path of [
    '.cache/huggingface/model',
    '.bash_history',
    '__pycache__/a.pyc',
    'pkg/__pycache__/b.pyc',
  ])
    await write(path, 'x')
  await write('lock', '')
  expect(await leftBeside()).toBeNull()
})

it('files that were sent are not counted, unless the program has changed them', async () => {
  const sent = [sentAs('data/train.csv', 'abc'), sentAs('model.bin', 'weights'), sentAs('log.txt', 'old')]
  await write('data/train.csv', 'abc', 1000)
  await write('model.bin', 'weights', 1001)
  await write('log.txt', 'old', 1002)
  expect(await leftBeside(...sent)).toBeNull()
  // As large as before, and younger than all that was copied.
  await write('model.bin', 'WEIGHTS', 2000)
  expect(await leftBeside(...sent)).toContain('left 1 file (7 B) in /work, which was not kept: model.bin.')
  await write('log.txt', 'old and new', 2001)
  expect(await leftBeside(...sent)).toContain('left 2 files (18 B)')
})

it('a script of Windows is not counted because gpuq has rewritten its line ends', async () => {
  const windows = 'ls data\r\nexit 0\r\n'
  await write('sent/run.sh', windows)
  const script = await scriptAsRun(join(root, 'sent'), 'run.sh')
  await rm(join(root, 'sent'), { recursive: true })
  await write('run.sh', windows.replaceAll('\r\n', '\n'))
  expect(await leftBeside(sentAs('run.sh', windows))).toContain('run.sh')
  expect(script).not.toBeNull()
  expect(await describeLeft(root, async () => (script === null ? [] : [script]))).toBeNull()
})

it('a very large number of files is not counted', async () => {
  for (const name of ['a', 'b', 'c']) await write(name, name)
  expect(await describeLeft(root, async () => [], 2)).toContain('more than 2 files and directories in /work')
})
