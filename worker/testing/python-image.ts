import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Engine } from './engine'

/** Names what programs of the tests need of the image: Python's own files, and the libraries they load under any name. */
const listFiles = `
import ctypes, glob, itertools, json, os, random, select, signal, socket, struct, sys, time, zlib
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
real = {os.path.realpath(path) for path in loaded}
names = {link for path in real for link in glob.glob(os.path.dirname(path) + "/*") if os.path.realpath(link) == path}
python = {"/usr/bin/python", "/usr/bin/python3", os.path.realpath(sys.executable), os.path.dirname(os.__file__)}
print("\\n".join(sorted(names | python | {"/lib", "/lib64", "/usr/lib64"})))`

/**
 * Makes the default image on an engine of a test, with nothing but Python: all of it takes half a minute to copy, and
 * this a second.
 * @param directory for its files.
 */
export async function loadPython(engine: Engine, directory: string): Promise<void> {
  const source = new Engine()
  const rootfs = join(directory, 'rootfs')
  const id = await source.run(`gpuq-files-${randomUUID()}`, {}, listFiles)
  try {
    for (const path of (await source.output(id)).trim().split('\n')) {
      const into = join(rootfs, dirname(path))
      await mkdir(into, { recursive: true })
      await feed(
        'tar',
        ['-x', '-C', into, '--exclude=dist-packages', '--exclude=test'],
        await source.archive(id, path),
      )
    }
  } finally {
    await source.remove(id)
  }
  for (const name of ['proc', 'dev', 'sys', 'tmp', 'etc'])
    await mkdir(join(rootfs, name), { recursive: true })
  const tar = spawn('tar', ['-c', '-C', rootfs, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await engine.importImage('gpuq/python', '2', tar.stdout)
}

async function feed(command: string, args: string[], input: Buffer): Promise<void> {
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(input)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
}
