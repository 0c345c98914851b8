import { parentsOf } from '@/lib/contract/archives/archive-manifest'
import { refuseLink, refusePath } from '@/lib/contract/archives/archive-paths'
import {
  type ExclusionRule,
  IgnoreRules,
  type RuleFile,
  repositoryName,
  ruleFiles,
  type Verdict,
} from '@/lib/contract/archives/rules/ignore-rules'
import { LeftOut } from '@/lib/contract/archives/rules/left-out'

/** A file that the user dropped, chose or wrote on this page. */
export interface LocalFile {
  path: string
  content: Blob
  executable?: true
  /** The content, if it was written on this page or is a rules file. */
  text?: string
}

/** A link in an archive. Browsers show the links of a folder as the files to which they lead. */
export interface LocalLink {
  path: string
  target: string
}

export type LocalEntry = LocalFile | LocalLink

/** A file, or a directory with all its content, that is not uploaded. */
export interface Exclusion {
  /** With a slash at the end: a directory. */
  path: string
  rule: ExclusionRule
  /** Its files. Empty: the page did not read the directory. */
  entries: readonly LocalEntry[]
  /** How many files a directory has that was not read. Not exact: it has more. */
  unread?: { files: number; exact: boolean }
}

/** What git tracks in a repository of the folder. */
export interface TrackedFiles {
  /** The root of the repository; `''`: the top of the folder. */
  directory: string
  files: readonly string[]
  submodules: readonly string[]
  /** The index cannot be read, for example because it is in a repository elsewhere. */
  unknown?: boolean
}

/** Where a directory comes from. */
export interface DirectoryOrigin {
  /** The name of the folder or archive; null if it was put together from files. */
  name: string | null
  /** The name of its file that became the config of the job, and is not uploaded; null: none. */
  configFile: string | null
  /** Everything is uploaded: it comes from an archive, which has what its maker chose. Left out: ignore rules apply. */
  packed?: boolean
  /** What git tracks; left out: nothing. */
  tracked?: readonly TrackedFiles[]
  /** The paths of directories that had no content. They are not uploaded. */
  emptyDirectories?: readonly string[]
}

/** The directory of a job before its upload. */
export interface Directory extends DirectoryOrigin {
  /** What is uploaded. */
  entries: readonly LocalEntry[]
  excluded: readonly Exclusion[]
}

export function isLocalLink(entry: LocalEntry): entry is LocalLink {
  return 'target' in entry
}

export function bytesOf(entry: LocalEntry): number {
  return isLocalLink(entry) ? 0 : entry.content.size
}

export function sumBytes(entries: readonly LocalEntry[]): number {
  return entries.reduce((sum, entry) => sum + bytesOf(entry), 0)
}

/** A file with this text. */
export function toLocalFile(path: string, text: string): LocalFile {
  return { path, content: new Blob([text]), text }
}

/** The entries with the texts of the rules files, which `arrange` needs. */
export async function withRuleTexts(entries: readonly LocalEntry[]): Promise<LocalEntry[]> {
  return Promise.all(
    entries.map(async (entry) =>
      isLocalLink(entry) || entry.text !== undefined || splitRulePath(entry.path) === null
        ? entry
        : { ...entry, text: await entry.content.text() },
    ),
  )
}

/**
 * Sorts the files of a directory into those that are uploaded and those that its ignore rules exclude. Rules files need their
 * text. `unread` are excluded directories whose content the page does not know: they stay excluded.
 */
export function arrange(
  { name, configFile, packed = false, tracked = [], emptyDirectories = [] }: DirectoryOrigin,
  entries: readonly LocalEntry[],
  unread: readonly Exclusion[] = [],
): Directory {
  const origin = { name, configFile, packed, tracked, emptyDirectories }
  if (packed) return { ...origin, entries, excluded: [...unread] }
  const rules = collectRules(entries, tracked)
  const included: LocalEntry[] = []
  const excluded = new Map<string, { rule: ExclusionRule; entries: LocalEntry[] }>()
  const directories = new Map<string, Verdict>([['', { rule: null, final: false }]])
  const judgeDirectory = (path: string): Verdict => {
    const known = directories.get(path)
    if (known !== undefined) return known
    const verdict = rules.judge(path, true, judgeDirectory(parentOf(path)))
    directories.set(path, verdict)
    return verdict
  }
  for (const entry of entries) {
    const { rule } = rules.judge(entry.path, false, judgeDirectory(parentOf(entry.path)))
    if (rule === null) included.push(entry)
    else {
      const top = parentsOf(entry.path).find((parent) => judgeDirectory(parent).rule !== null)
      const place = top === undefined ? entry.path : `${top}/`
      const group = excluded.get(place) ?? { rule, entries: [] }
      group.entries.push(entry)
      excluded.set(place, group)
    }
  }
  const read = [...excluded].map(([path, group]) => ({ path, ...group }))
  const all = [...unread.filter(({ path }) => !excluded.has(path)), ...read]
  return { ...origin, entries: included, excluded: all.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
}

/** A sentence about what is not uploaded, and why; null if everything is. */
export function describeLeftOut(directory: Directory): string | null {
  const { excluded, tracked = [] } = directory
  const leftOut = new LeftOut()
  for (const { directory, unknown } of tracked)
    if (unknown) leftOut.addUnknownIndex(directory === '' ? repositoryName : `${directory}/${repositoryName}`)
  for (const { rule, entries, unread } of excluded)
    leftOut.add(rule, unread?.files ?? entries.length, unread?.exact ?? true)
  for (const path of emptyOf(directory)) leftOut.addEmptyDirectory(path)
  return leftOut.describe()
}

/** The directories that are empty: the user may have added files to others since. */
export function emptyOf({ entries, excluded, emptyDirectories = [] }: Directory): string[] {
  const isOutside = (path: string) => !excluded.some((exclusion) => `${path}/`.startsWith(exclusion.path))
  return emptyDirectories.filter(
    (path) => isOutside(path) && !entries.some((entry) => entry.path.startsWith(`${path}/`)),
  )
}

/** Rules of a deeper directory come later. */
function collectRules(entries: readonly LocalEntry[], tracked: readonly TrackedFiles[]): IgnoreRules {
  const rules = new IgnoreRules()
  for (const repository of tracked) rules.track(repository.directory, repository)
  const found = entries.flatMap((entry) => {
    const place = isLocalLink(entry) || entry.text === undefined ? null : splitRulePath(entry.path)
    return place === null || isLocalLink(entry) ? [] : [{ ...place, text: entry.text ?? '' }]
  })
  const depthOf = (directory: string) => (directory === '' ? 0 : directory.split('/').length)
  found.sort((a, b) => depthOf(a.directory) - depthOf(b.directory))
  for (const { directory, name, text } of found)
    if (rules.reaches(directory)) rules.add(directory, name, text)
  return rules
}

/** The directory of a rules file and its name; null for another file. */
function splitRulePath(path: string): { directory: string; name: RuleFile } | null {
  const slash = path.lastIndexOf('/')
  const name = ruleFiles.find((candidate) => candidate === path.slice(slash + 1))
  return name === undefined ? null : { directory: path.slice(0, Math.max(0, slash)), name }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Adds files, or replaces those with the same path. Rules files need their text. */
export function withEntries(directory: Directory, added: readonly LocalEntry[]): Directory {
  const changed = new Map(added.map((entry) => [entry.path, entry]))
  const known = new Set(directory.entries.map(({ path }) => path))
  // Another content of a file changes no rule and no path: nothing is decided again.
  const onlyContents = added.every(({ path }) => known.has(path) && splitRulePath(path) === null)
  if (onlyContents) {
    return { ...directory, entries: directory.entries.map((entry) => changed.get(entry.path) ?? entry) }
  }
  const kept = allEntries(directory).filter(({ path }) => !changed.has(path))
  return arrange(directory, [...kept, ...added], unreadOf(directory))
}

/** The directory without a file. */
export function withoutEntry(directory: Directory, path: string): Directory {
  const kept = allEntries(directory).filter((entry) => entry.path !== path)
  return arrange(directory, kept, unreadOf(directory))
}

/** The directory with another path for a file. */
export async function withPath(directory: Directory, path: string, next: string): Promise<Directory> {
  const entry = directory.entries.find((candidate) => candidate.path === path)
  if (!entry) return directory
  return withEntries(withoutEntry(directory, path), await withRuleTexts([{ ...entry, path: next }]))
}

function allEntries({ entries, excluded }: Directory): LocalEntry[] {
  return [...entries, ...excluded.flatMap((exclusion) => exclusion.entries)]
}

function unreadOf({ excluded }: Directory): Exclusion[] {
  return excluded.filter(({ entries }) => entries.length === 0)
}

/** Why a file of the directory cannot have this path; null if it can. */
export function refuseNewPath(directory: Directory, path: string): string | null {
  const why = refusePath(path)
  if (why !== null) return why
  for (const other of allEntries(directory)) {
    if (other.path === path) return 'is the path of another file'
    if (other.path.startsWith(`${path}/`)) return 'is a directory'
    if (path.startsWith(`${other.path}/`)) return `is below ${other.path}, which is a file`
  }
  return null
}

/** Each path that the server would refuse, with the reason. */
export function findRefusedPaths({ entries }: Directory): { path: string; why: string }[] {
  return entries.flatMap((entry) => {
    const why = refusePath(entry.path) ?? (isLocalLink(entry) ? refuseLink(entry.path, entry.target) : null)
    return why === null ? [] : [{ path: entry.path, why }]
  })
}
