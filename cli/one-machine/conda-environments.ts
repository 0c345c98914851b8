import { execFile } from 'node:child_process'
import { access, constants, readdir, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { parseJson } from '@/lib/contract/parse-json'

/** The result of looking for a conda environment. `known`: the names that would be found. */
export type CondaSearch =
  | { kind: 'found'; prefix: string }
  | { kind: 'none'; known: string[] }
  | { kind: 'wrong'; message: string }

const infoSchema = z.object({
  root_prefix: z.string().optional(),
  envs: z.array(z.string()).default([]),
  envs_dirs: z.array(z.string()).default([]),
})
type CondaInfo = z.output<typeof infoSchema>

const commandTimeoutMs = 30_000
/** How long a list of environments is used. `conda info` takes a second. */
const listAgeMs = 30_000

/**
 * The conda environments of this machine, found as conda finds them: in the directories of CONDA_ENVS_PATH and of `conda
 * info`, and in ~/.conda/environments.txt.
 */
export class CondaEnvironments {
  #list: { at: number; prefixes: Promise<string[]>; info: Promise<CondaInfo> } | null = null

  constructor(
    readonly env: NodeJS.ProcessEnv,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** Finds an environment by its name or path. An empty name means the base environment. */
  async find(name: string): Promise<CondaSearch> {
    if (isAbsolute(name)) return check(name)
    const { prefixes, info } = this.#read()
    const root = (await info).root_prefix
    if (name === '' || name === 'base') {
      return root !== undefined && (await isUsable(root)) ? { kind: 'found', prefix: root } : this.#none()
    }
    const found = (await prefixes).filter((prefix) => basename(prefix) === name && prefix !== root)
    const [first, ...others] = found
    if (first === undefined) return this.#none()
    if (others.length === 0 || (await this.#isInDirectories(first))) return check(first)
    return {
      kind: 'wrong',
      message: `several conda environments have the name ${name}: write the path of one of ${found.join(', ')}`,
    }
  }

  async #none(): Promise<CondaSearch> {
    const { prefixes, info } = this.#read()
    const root = (await info).root_prefix
    const names = (await prefixes).filter((prefix) => prefix !== root).map((prefix) => basename(prefix))
    return { kind: 'none', known: [...new Set(names)].toSorted() }
  }

  /** Conda takes the first match in these directories; the list of environments has no order. */
  async #isInDirectories(prefix: string): Promise<boolean> {
    return (await this.#directories()).some((directory) => join(directory, basename(prefix)) === prefix)
  }

  async #directories(): Promise<string[]> {
    const info = await this.#read().info
    const given = [this.env.CONDA_ENVS_PATH, this.env.CONDA_ENVS_DIRS].flatMap(
      (paths) => paths?.split(delimiter) ?? [],
    )
    const ofRoot = info.root_prefix === undefined ? [] : [join(info.root_prefix, 'envs')]
    return [...given, ...info.envs_dirs, ...ofRoot].filter((path) => isAbsolute(path))
  }

  #read() {
    if (this.#list === null || this.now() - this.#list.at > listAgeMs) {
      const info = readInfo(this.env)
      this.#list = { at: this.now(), info, prefixes: Promise.resolve([]) }
      this.#list.prefixes = this.#readPrefixes()
    }
    return this.#list
  }

  /** The environments, in the order in which a name finds them. */
  async #readPrefixes(): Promise<string[]> {
    const home = this.env.HOME || homedir()
    const listed = await readFile(join(home, '.conda', 'environments.txt'), 'utf8').catch(() => '')
    const inDirectories = (await Promise.all((await this.#directories()).map(listEnvironments))).flat()
    const others = [...(await this.#read().info).envs, ...listed.split('\n').map((line) => line.trim())]
    const there = await Promise.all(
      others.map(async (path) => (isAbsolute(path) && (await isEnvironment(path)) ? [path] : [])),
    )
    return [...new Set([...inDirectories, ...there.flat()])]
  }
}

async function listEnvironments(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => [])
  const paths = names.toSorted().map((name) => join(directory, name))
  const there = await Promise.all(paths.map(isEnvironment))
  return paths.filter((_, at) => there[at])
}

async function check(prefix: string): Promise<CondaSearch> {
  if (!(await isEnvironment(prefix)))
    return { kind: 'wrong', message: `${prefix} is not a conda environment: it has no conda-meta/history` }
  if (await isUsable(prefix)) return { kind: 'found', prefix }
  const message = `the conda environment ${prefix} has no bin/python: run \`conda install -p ${prefix} python\``
  return { kind: 'wrong', message }
}

const isEnvironment = (prefix: string) => exists(join(prefix, 'conda-meta', 'history'))
const isUsable = (prefix: string) => exists(join(prefix, 'bin', 'python'))

async function exists(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

/** What conda says about itself; empty if it is not installed. */
async function readInfo(env: NodeJS.ProcessEnv): Promise<CondaInfo> {
  const none = infoSchema.parse({})
  try {
    const options = { env, timeout: commandTimeoutMs, maxBuffer: 16 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(env.CONDA_EXE || 'conda', ['info', '--json'], options)
    return infoSchema.safeParse(parseJson(stdout)).data ?? none
  } catch {
    return none
  }
}
