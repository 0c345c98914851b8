import type { Stats } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import { IgnoreRules, ruleFiles } from '@/lib/contract/archives/ignore-rules'
import { type GpuqError, invalidRequest } from '@/lib/contract/errors'
import { addRules, readRulesAbove, unreadable } from './rules'

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
    const above = await readRulesAbove(this.root, ruleFiles)
    this.#rules = above.rules
    this.#base = above.base
    await this.#enter(this.root)
    if (this.#refused.length > 0) throw this.#refusal()
    return this.#found
  }

  async #enter(directory: string): Promise<void> {
    await addRules(this.#rules, directory, relative(this.#base, directory), ruleFiles)
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

async function statOf(path: string, look: (path: string) => Promise<Stats> = lstat): Promise<Stats> {
  try {
    return await look(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}
