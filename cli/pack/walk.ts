import type { Stats } from 'node:fs'
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import { IgnoreRules, ruleFiles } from '@/lib/contract/archives/ignore-rules'
import { type GpuqError, invalidRequest, notFound } from '@/lib/contract/errors'
import { describeFileError, errorCode } from '../files'

export interface FoundFile {
  /** Relative to the directory, with slashes. */
  path: string
  stats: Stats
}

interface Found {
  files: FoundFile[]
  links: { path: string; target: string }[]
}

const mostNamed = 10

/**
 * Lists the files to upload: all except those that the ignore rules of the directory and its repository exclude.
 * Links are listed as links.
 *
 * @throws GpuqError that lists the paths that cannot be uploaded.
 */
export function walk(directory: string): Promise<Found> {
  return new Walker(resolve(directory)).run()
}

class Walker {
  readonly #found: Found = { files: [], links: [] }
  readonly #refused: string[] = []
  #rules = new IgnoreRules()
  /** The root of the rules: the repository's root, or the directory itself. */
  #base: string

  constructor(readonly root: string) {
    this.#base = root
  }

  async run(): Promise<Found> {
    // The directory may be given by a link.
    if (!(await statOf(this.root, stat)).isDirectory())
      throw invalidRequest(`${this.root} is not a directory.`)
    await this.#addRulesAbove()
    await this.#enter(this.root)
    if (this.#refused.length > 0) throw this.#refusal()
    return this.#found
  }

  /**
   * The rules of the repository also apply below its root, unless they exclude the requested directory
   * itself.
   */
  async #addRulesAbove(): Promise<void> {
    const repository = await findRepository(this.root)
    if (repository === null || repository === this.root) return
    const rules = new IgnoreRules()
    const inside = relative(repository, this.root).split('/')
    for (const [depth] of inside.entries()) {
      const above = inside.slice(0, depth)
      await addRules(rules, join(repository, ...above), above.join('/'))
    }
    if (rules.ignores(`${inside.join('/')}/`)) return
    this.#rules = rules
    this.#base = repository
  }

  async #enter(directory: string): Promise<void> {
    await addRules(this.#rules, directory, relative(this.#base, directory))
    const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
      throw unreadable(directory, error)
    })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name)
      const forRules = relative(this.#base, path)
      if (entry.isDirectory()) {
        if (!this.#rules.ignores(`${forRules}/`)) await this.#enter(path)
      } else if (!this.#rules.ignores(forRules)) {
        if (entry.isSymbolicLink()) await this.#addLink(path)
        else if (entry.isFile()) await this.#addFile(path)
        // Skip sockets, pipes and devices: they have no content.
      }
    }
  }

  async #addFile(full: string): Promise<void> {
    const path = relative(this.root, full)
    const why = refusePath(path)
    if (why !== null) this.#refused.push(`${JSON.stringify(path)} ${why}`)
    else this.#found.files.push({ path, stats: await statOf(full) })
  }

  async #addLink(full: string): Promise<void> {
    const path = relative(this.root, full)
    const target = await readlink(full)
    const why = refusePath(path) ?? refuseLink(path, target)
    if (why !== null) this.#refused.push(`${JSON.stringify(path)} → ${JSON.stringify(target)} ${why}`)
    else this.#found.links.push({ path, target })
  }

  #refusal(): GpuqError {
    const named = this.#refused.slice(0, mostNamed).map((line) => `\n  ${line}`)
    const rest = this.#refused.length - named.length
    const more = rest > 0 ? `\n  and ${rest} more` : ''
    return invalidRequest(
      `Cannot upload these paths. Remove them, or list them in .gpuqignore:${named.join('')}${more}`,
    )
  }
}

async function addRules(rules: IgnoreRules, directory: string, place: string): Promise<void> {
  for (const name of ruleFiles) {
    const text = await readFile(join(directory, name), 'utf8').catch((error: unknown) => {
      if (['ENOENT', 'EISDIR'].includes(errorCode(error))) return null
      throw unreadable(join(directory, name), error)
    })
    if (text !== null) rules.add(place, name, text)
  }
}

async function findRepository(start: string): Promise<string | null> {
  for (let directory = start; ; directory = dirname(directory)) {
    const there = await lstat(join(directory, '.git')).catch(() => null)
    if (there) return directory
    if (dirname(directory) === directory) return null
  }
}

async function statOf(path: string, look: (path: string) => Promise<Stats> = lstat): Promise<Stats> {
  try {
    return await look(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): GpuqError {
  return notFound(`Cannot read ${path}: ${describeFileError(error)}.`, { cause: error })
}
