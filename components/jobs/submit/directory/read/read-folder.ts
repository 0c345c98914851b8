import { IgnoreRules, ruleFiles } from '@/lib/contract/archives/ignore-rules'
import { notFound, payloadTooLarge } from '@/lib/contract/errors'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Exclusion, LocalEntry } from '../directory'

/** More files than any server accepts, with what the rules exclude. */
const maxFiles = 100_000

export interface ReadFolder {
  entries: LocalEntry[]
  /** Directories that the rules exclude. They are not read: they may have any number of files. */
  unread: Exclusion[]
}

/** Lists the files of a dropped folder. @throws GpuqError for too many files; an error of the browser. */
export async function readFolder(folder: FileSystemDirectoryEntry): Promise<ReadFolder> {
  const found: ReadFolder = { entries: [], unread: [] }
  await readInto(found, new IgnoreRules(), folder, '')
  return found
}

async function readInto(
  found: ReadFolder,
  rules: IgnoreRules,
  folder: FileSystemDirectoryEntry,
  path: string,
): Promise<void> {
  const children = await listChildren(folder)
  const pathOf = (name: string) => (path === '' ? name : `${path}/${name}`)
  const files = children.filter(isFile)
  for (const name of ruleFiles) {
    const own = files.find((file) => file.name === name)
    if (!own) continue
    const content = await openFile(own)
    const text = await content.text()
    rules.add(path, name, text)
    found.entries.push({ path: pathOf(name), content, text })
  }
  const others = files.filter(({ name }) => !ruleFiles.some((rule) => rule === name))
  const opened = await Promise.all(
    others.map(async (file) => ({ path: pathOf(file.name), content: await openFile(file) })),
  )
  for (const entry of opened) found.entries.push(entry)
  if (found.entries.length > maxFiles) {
    throw payloadTooLarge(
      `The folder has more than ${maxFiles.toLocaleString('en')} files. Exclude directories that the job does not need in .gpuqignore.`,
    )
  }
  for (const child of children) {
    if (!isFolder(child)) continue
    const own = pathOf(child.name)
    const rule = rules.explain(`${own}/`)
    if (rule === null) await readInto(found, rules, child, own)
    else found.unread.push({ path: `${own}/`, rule, entries: [] })
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
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
