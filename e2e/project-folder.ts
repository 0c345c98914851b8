import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from '@playwright/test'
import { configText } from './uploads'

/** A program in several files, with files that its ignore rules exclude. */
export const project: Record<string, string | Buffer> = {
  '.gitignore': '# weights\n*.ckpt\nvenv/\n',
  'main.py': 'from src.model import answer\nprint("answer", answer)\n',
  'src/model.py': 'answer = 42\n',
  'data/numbers.csv': '1,2,3\n'.repeat(500),
  'weights.ckpt': 'w'.repeat(300_000),
  'venv/lib/package.py': 'x = 1\n',
  '.git/config': '[core]\n',
  'config.yaml': configText({ name: 'a directory' }),
}

/** Size of a file that is sent in a request of its own. */
export const largeBytes = 6 * 1024 * 1024

/** A program with three large files, whose contents no project has. */
export function largeProject(): Record<string, string | Buffer> {
  return {
    'main.py':
      'import os\nprint(sum(os.path.getsize(name) for name in os.listdir(".") if name.endswith(".bin")))\n',
    'config.yaml': configText(),
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.bin`, randomBytes(largeBytes)])),
  }
}

/** Writes a folder with the name `project` among the files of the running test, and returns its path. */
export async function writeProject(files: Record<string, string | Buffer> = project): Promise<string> {
  const { outputDir } = test.info()
  await mkdir(outputDir, { recursive: true })
  const folder = join(await mkdtemp(join(outputDir, 'folder-')), 'project')
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}
