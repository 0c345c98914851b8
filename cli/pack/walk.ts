import type { Stats } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import {
  IgnoreRules,
  repositoryName,
  ruleFiles,
  type Verdict,
} from '@/lib/contract/archives/rules/ignore-rules'
import { LeftOut } from '@/lib/contract/archives/rules/left-out'
import { type GpuqError, invalidRequest } from '@/lib/contract/errors'
import { addRules, addTracked, readRulesAbove, unreadable } from './rules'

export interface FoundFile {
  /** Relative to the directory, with slashes. */
  path: string
  stats: Stats
}

interface Found {
  files: FoundFile[]
  links: { path: string; target: string }[]
  /** What is not sent. */
  leftOut: LeftOut
}

const mostNamed = 10
/** An excluded directory may be large: the exact number is not worth the time. */
const mostCounted = 100_000

/**
 * Lists the files to upload: all except those that the ignore rules of the directory and its repository exclude. What git tracks
 * is listed although `.gitignore` excludes it. Links are listed as links.
 *
 * @throws GpuqError that lists the paths that cannot be uploaded.
 */
export function walk(directory: string): Promise<Found> {
  return new Walker(resolve(directory)).run()
}

class Walker {
  readonly #found: Found = { files: [], links: [], leftOut: new LeftOut() }
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
    await this.#enter(this.root, sent)
    if (this.#refused.length > 0) throw this.#refusal()
    return this.#found
  }

  async #enter(directory: string, verdict: Verdict): Promise<void> {
    await addRules(this.#rules, directory, relative(this.#base, directory), ruleFiles)
    const isKnown = await addTracked(this.#rules, directory, this.#base)
    if (!isKnown) this.#found.leftOut.addUnknownIndex(join(relative(this.root, directory), repositoryName))
    const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
      throw unreadable(directory, error)
    })
    if (entries.length === 0 && directory !== this.root && verdict.rule === null)
      this.#found.leftOut.addEmptyDirectory(relative(this.root, directory))
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      // It is never sent, so nobody misses it.
      if (entry.name === repositoryName) continue
      const path = join(directory, entry.name)
      const forRules = relative(this.#base, path)
      const own = this.#rules.judge(forRules, entry.isDirectory(), verdict)
      if (entry.isDirectory() && this.#rules.mayEnter(forRules, own)) await this.#enter(path, own)
      else if (own.rule !== null) {
        const files = entry.isDirectory() ? await countFiles(path) : 1
        this.#found.leftOut.add(own.rule, files, files < mostCounted)
      } else if (entry.isSymbolicLink()) await this.#addLink(path)
      else if (entry.isFile()) await this.#addFile(path)
      // Sockets, pipes and devices have no content.
      else this.#found.leftOut.addSpecial(relative(this.root, path))
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

const sent: Verdict = { rule: null, final: false }

/** The number of files and links below a directory. Stops at a limit, and skips what cannot be read. */
async function countFiles(directory: string): Promise<number> {
  let files = 0
  const waiting = [directory]
  for (let next = waiting.pop(); next !== undefined && files < mostCounted; next = waiting.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) waiting.push(join(next, entry.name))
      else files++
    }
  }
  return files
}

async function statOf(path: string, look: (path: string) => Promise<Stats> = lstat): Promise<Stats> {
  try {
    return await look(path)
  } catch (error) {
    throw unreadable(path, error)
  }
}
