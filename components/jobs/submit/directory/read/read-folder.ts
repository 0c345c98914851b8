import {
  IgnoreRules,
  repositoryName,
  ruleFiles,
  type Verdict,
} from '@/lib/contract/archives/rules/ignore-rules'
import { notFound, payloadTooLarge } from '@/lib/contract/errors'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Exclusion, LocalEntry, TrackedFiles } from '../directory'
import { readTracked } from './read-tracked'

/** More files than any server accepts, with what the rules exclude. */
const maxFiles = 100_000
/** An excluded directory may be large: the exact number is not worth the time. */
const mostCounted = 10_000

export interface ReadFolder {
  entries: LocalEntry[]
  /** Directories that the rules exclude. Their files are only counted: there may be any number of them. */
  unread: Exclusion[]
  /** What git tracks in the folder. */
  tracked: TrackedFiles[]
  /** The paths of its directories without content. */
  emptyDirectories: string[]
}

/** Lists the files of a dropped folder. @throws GpuqError for too many files; an error of the browser. */
export async function readFolder(folder: FileSystemDirectoryEntry): Promise<ReadFolder> {
  const reader = new FolderReader(folder)
  await reader.readInto(folder, '', { rule: null, final: false })
  return reader.found
}

class FolderReader {
  readonly found: ReadFolder = { entries: [], unread: [], tracked: [], emptyDirectories: [] }
  readonly #rules = new IgnoreRules()

  constructor(readonly top: FileSystemDirectoryEntry) {}

  async readInto(folder: FileSystemDirectoryEntry, path: string, verdict: Verdict): Promise<void> {
    const children = await listChildren(folder)
    const pathOf = (name: string) => (path === '' ? name : `${path}/${name}`)
    if (children.length === 0 && path !== '' && verdict.rule === null) this.found.emptyDirectories.push(path)
    const files = children.filter(isFile)
    if (children.some(({ name }) => name === repositoryName)) await this.#addTracked(path)
    for (const name of ruleFiles) {
      const own = files.find((file) => file.name === name)
      if (!own) continue
      const content = await openFile(own)
      const text = await content.text()
      this.#rules.add(path, name, text)
      this.found.entries.push({ path: pathOf(name), content, text })
    }
    const others = files.filter(({ name }) => !ruleFiles.some((rule) => rule === name))
    const opened = await Promise.all(
      others.map(async (file) => ({ path: pathOf(file.name), content: await openFile(file) })),
    )
    for (const entry of opened) this.found.entries.push(entry)
    if (this.found.entries.length > maxFiles) {
      throw payloadTooLarge(
        `The folder has more than ${maxFiles.toLocaleString('en')} files. Exclude directories that the job does not need in .gpuqignore.`,
      )
    }
    for (const child of children) {
      if (!isFolder(child)) continue
      const own = pathOf(child.name)
      const judged = this.#rules.judge(own, true, verdict)
      if (this.#rules.mayEnter(own, judged)) await this.readInto(child, own, judged)
      else if (judged.rule !== null) {
        // A repository is never uploaded, so its files are not counted.
        const files = child.name === repositoryName ? 0 : await countFiles(child)
        const unread = { files, exact: files < mostCounted }
        this.found.unread.push({ path: `${own}/`, rule: judged.rule, entries: [], unread })
      }
    }
  }

  async #addTracked(path: string): Promise<void> {
    const open = async (file: string) => {
      const entry = await new Promise<FileSystemEntry | null>((resolve) =>
        this.top.getFile(file, {}, resolve, () => resolve(null)),
      )
      return entry !== null && isFile(entry) ? openFile(entry) : null
    }
    const tracked = await readTracked(path, open)
    if (tracked === null) return
    this.found.tracked.push(tracked)
    this.#rules.track(path, tracked)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

async function countFiles(folder: FileSystemDirectoryEntry): Promise<number> {
  let files = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined && files < mostCounted; next = waiting.pop()) {
    const children = await listChildren(next).catch(() => [])
    for (const child of children) {
      if (isFolder(child)) waiting.push(child)
      else files++
    }
  }
  return files
}

async function openFile(entry: FileSystemFileEntry): Promise<File> {
  try {
    return await new Promise((resolve, reject) => entry.file(resolve, reject))
  } catch (cause) {
    const path = visibleText(entry.fullPath, 200)
    throw notFound(`The browser cannot read ${path}. Check its permissions, or list it in .gpuqignore.`, {
      cause,
    })
  }
}

/** The browser returns the children in several parts. The last one is empty. */
async function listChildren(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (part.length === 0) return children
    children.push(...part)
  }
}
