import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { join, posix, sep } from 'node:path'
import type { CompetitionConfig } from '@/lib/competitions/contract-config'
import { autograderFile, commandOf, pathsOf } from '@/lib/competitions/contract-formats'
import { maxPageBytes, maxRosterBytes } from '@/lib/competitions/contract-limits'
import { parseCompetition } from '@/lib/competitions/contract-parse'
import type { FieldError } from '@/lib/contract/errors'
import { GpuqError } from '@/lib/contract/errors'
import { describeFileError } from '../files'
import { walk } from '../pack/walk'

/** A folder with a competition.yaml and what the file names. */
export interface Folder {
  config: CompetitionConfig
  /** The text of competition.yaml. */
  text: string
  /** The texts of the pages, by their paths. */
  pages: Record<string, string>
  /** The directories of the datasets and of the scoring program, by name. */
  directories: Record<string, string>
  /** Null: the file names none. */
  roster: Buffer | null
}

const fileName = 'competition.yaml'

/** Reads a folder. @throws GpuqError with everything that is wrong in it. */
export async function readFolder(directory: string): Promise<Folder> {
  const path = join(directory, fileName)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new GpuqError('not_found', `Cannot read ${path}: ${describeFileError(error)}.`)
  })
  const parsed = parseCompetition(text)
  if (!parsed.ok) throw refuse(path, parsed.errors)
  const { config } = parsed
  const reader = new FolderReader(directory, await realpath(directory))
  const pages: Record<string, string> = {}
  for (const [index, page] of config.pages.entries()) {
    const bytes = await reader.readFile(`pages.${index}`, page, maxPageBytes)
    if (bytes !== null) pages[page] = bytes.toString('utf8')
  }
  const directories: Record<string, string> = {}
  for (const [name, { path: given }] of Object.entries(config.datasets)) {
    directories[name] = join(directory, given)
    await reader.listFiles(`datasets.${name}.path`, given)
  }
  const { program } = config.scorer
  directories.scorer = join(directory, program)
  const files = await reader.listFiles('scorer.program', program)
  const script = scriptOf(config.scorer)
  if (files !== null && script !== null && !files.includes(script))
    reader.problems.push({ path: 'scorer.command', message: `${program} has no file ${script}` })
  const roster =
    config.roster === undefined ? null : await reader.readFile('roster', config.roster, maxRosterBytes)
  if (roster?.length === 0) reader.problems.push({ path: 'roster', message: `${config.roster} is empty` })
  if (reader.problems.length > 0) throw refuse(directory, reader.problems)
  return { config, text, pages, directories, roster }
}

/** The file that a scoring program starts with, in its directory; null: unknown. */
function scriptOf(scorer: CompetitionConfig['scorer']): string | null {
  if (scorer.command === undefined) return autograderFile
  const script = /^python3?\s+(?:-\S+\s+)*([^\s;&|]+\.py)(?:\s|$)/.exec(commandOf(scorer))?.[1]
  if (script === undefined) return null
  const { start = '/work', work = start } = pathsOf(scorer).places ?? {}
  const path = posix.resolve(start, script)
  return path.startsWith(`${work}/`) ? path.slice(work.length + 1) : null
}

function refuse(what: string, errors: FieldError[]): GpuqError {
  const count = errors.length === 1 ? 'one problem' : `${errors.length} problems`
  return new GpuqError('invalid_fields', `${what} has ${count}:`, { errors })
}

/** Reads what a file names, and collects what is wrong. */
class FolderReader {
  readonly problems: FieldError[] = []

  constructor(
    readonly directory: string,
    /** The directory without links. */
    readonly root: string,
  ) {}

  /** Null: there is a problem. */
  async readFile(key: string, given: string, maxBytes: number): Promise<Buffer | null> {
    const path = await this.#find(key, given)
    if (path === null) return null
    const stats = await stat(path)
    if (!stats.isFile()) return this.#refuse(key, `${given} is not a file`)
    if (stats.size > maxBytes)
      return this.#refuse(key, `${given} is larger than ${maxBytes / 1024} KiB, which is the limit`)
    return readFile(path)
  }

  /** The paths of the files of a directory that are sent; null: there is a problem. */
  async listFiles(key: string, given: string): Promise<string[] | null> {
    const path = await this.#find(key, given)
    if (path === null) return null
    if (!(await stat(path)).isDirectory()) return this.#refuse(key, `${given} is not a directory`)
    try {
      const { files, links, leftOut } = await walk(path)
      const paths = [...files, ...links].map((file) => file.path)
      if (paths.length > 0) return paths
      return this.#refuse(key, [`${given} has no files to send.`, leftOut.describe() ?? ''].join(' ').trim())
    } catch (error) {
      if (error instanceof GpuqError) return this.#refuse(key, error.message)
      throw error
    }
  }

  /** The path of something that is really in the folder. */
  async #find(key: string, given: string): Promise<string | null> {
    const path = join(this.directory, given)
    const real = await realpath(path).catch((error: unknown) => describeUnreadable(path, error))
    if (typeof real !== 'string') return this.#refuse(key, `cannot read ${given}: ${real.message}`)
    if (real.startsWith(this.root + sep)) return path
    return this.#refuse(key, `${given} is a link that leads out of ${this.directory}: copy what it points to`)
  }

  #refuse(path: string, message: string): null {
    this.problems.push({ path, message })
    return null
  }
}

async function describeUnreadable(path: string, error: unknown): Promise<{ message: string }> {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
  return { message: isLink ? 'it is a link that leads nowhere' : describeFileError(error) }
}
