import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeContext } from '../testing/fake-context'
import { uploadDirectory } from './upload-directory'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-upload-'))
})
afterEach(async () => {
  await rm(root, { recursive: true })
  await rm(`${root}-cache`, { recursive: true, force: true })
})

it.each([false, true])(
  'what is not sent is said in one line on stderr, also with quiet: %s',
  async (quiet) => {
    await writeFile(join(root, 'main.py'), 'print(1)')
    await writeFile(join(root, '.env'), 'KEY=example')
    await writeFile(join(root, '.gitignore'), '*.log\n')
    await writeFile(join(root, 'a.log'), '')
    await mkdir(join(root, 'node_modules/m'), { recursive: true })
    await writeFile(join(root, 'node_modules/m/index.js'), '')
    await writeFile(join(root, 'node_modules/m/package.json'), '{}')
    const sent: unknown[] = []
    const context = fakeContext(async (request) => {
      if (request.method !== 'POST') return Response.json({ max_bytes: 1000, max_entries: 10 })
      const body = (await request.json()) as { entries: { path: string }[] }
      sent.push({ entries: body.entries.toSorted((a, b) => (a.path < b.path ? -1 : 1)) })
      return Response.json({ archive: 'a'.repeat(64), missing: [] })
    })
    context.env = { ...context.env, XDG_CACHE_HOME: `${root}-cache` }
    await uploadDirectory(context, 'p', root, quiet)
    expect(sent).toMatchObject([{ entries: [{ path: '.gitignore' }, { path: 'main.py' }] }])
    expect(JSON.stringify(sent)).not.toContain('.env')
    const [line] = context.written.err.split('\n')
    expect(line).toBe(
      'gpuq: Not sent: 4 files: node_modules (default), *.log (.gitignore), .env (default). To send some of them, add a line !NAME to .gpuqignore.',
    )
    expect(context.written.out).toBe('')
  },
)

it('a directory of which nothing is sent is refused with the reasons', async () => {
  await writeFile(join(root, '.env'), 'KEY=example')
  const context = fakeContext(() => Response.json({ max_bytes: 1000, max_entries: 10 }))
  await expect(uploadDirectory(context, 'p', root)).rejects.toThrow(
    `${root} contains no files to send. Not sent: 1 file: .env (default).`,
  )
})
