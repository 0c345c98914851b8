import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensureProgram, install } from '../ensure-program'
import { theSystem } from '../system/the-system'

/** Runs the documented examples with real curl and Python requests. */

const execute = promisify(execFile)

/** The files of the examples with a directory. */
const projectFiles = {
  'main.py': 'from src.model import total\n\nprint("total", total("data/numbers.csv"))\n',
  'src/model.py':
    'def total(path):\n    with open(path) as numbers:\n        return sum(int(line) for line in numbers)\n',
  'data/numbers.csv': '1\n2\n39\n',
}

export interface Facts {
  token: string
  handle: string
  jobId?: string
}

/** Returns an example file with the server, token and user filled in. */
async function filledIn(name: string, { token, handle, jobId = '' }: Facts): Promise<string> {
  const { url } = theSystem()
  const text = await readFile(join(import.meta.dirname, name), 'utf8')
  return text
    .replaceAll('SERVER', url)
    .replaceAll('TOKEN', token)
    .replaceAll('USER', handle)
    .replaceAll('JOB', jobId)
}

/** Runs a curl command in a shell, in the directory of its files. Returns the JSON that it prints. */
export async function runCommand(name: string, facts: Facts): Promise<unknown> {
  await ensureProgram('curl', ['curl'])
  if (name === 'project.sh') await ensureProgram('zip', ['zip'])
  return inDirectory(async (directory) => {
    for (const file of ['solution.py', 'config.yaml']) {
      await writeFile(join(directory, file), await filledIn(file, facts))
    }
    const { stdout } = await execute('sh', ['-c', await filledIn(name, facts)], { cwd: directory })
    return JSON.parse(stdout)
  })
}

/** Runs the Python program. Returns its output. */
export async function runProgram(name: string, facts: Facts): Promise<string> {
  const python = await pythonWithRequests()
  return inDirectory(async (directory) => {
    const file = join(directory, name)
    await writeFile(file, await filledIn(name, facts))
    const { stdout } = await execute(python, [file], { cwd: directory })
    return stdout
  })
}

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'gpuq-documented-'))
  try {
    for (const [path, content] of Object.entries(projectFiles)) {
      await mkdir(join(directory, dirname(path)), { recursive: true })
      await writeFile(join(directory, path), content)
    }
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The Python of this machine that can import requests. */
export async function pythonWithRequests(): Promise<string> {
  const find = async () => {
    for (const python of ['python3', '/usr/bin/python3']) {
      const works = await execute(python, ['-c', 'import requests']).then(
        () => true,
        () => false,
      )
      if (works) return python
    }
    return null
  }
  const found = await find()
  if (found) return found
  await install(['python3', 'python3-requests'], "Python's requests")
  const installed = await find()
  if (installed) return installed
  throw new Error("Python's requests package was installed, but python3 cannot import it.")
}
