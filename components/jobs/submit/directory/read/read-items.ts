import { isArchiveName } from '@/lib/contract/archives/unpack/archive-format'
import type { NamedFiles } from '@/lib/contract/archives/unpack/place-entries'
import { readConfigText } from '../../../editor/config-text'
import { commandOf, type Draft, withoutToken } from '../../draft'
import {
  maxTextBytes,
  type PickedFiles,
  pickProgramAndConfig,
  type ReadFiles,
  readFiles,
  readText,
} from '../../read-files'
import {
  arrange,
  type Directory,
  type DirectoryOrigin,
  type Exclusion,
  isLocalLink,
  type LocalEntry,
  type TrackedFiles,
  toLocalFile,
  withEntries,
  withRuleTexts,
} from '../directory'
import { namedEntrypoint } from '../entrypoint'
import { runInWebWorker } from '../web-worker/run-in-web-worker'
import type { DroppedItem } from './dropped-items'
import { type ReadFolder, readFolder } from './read-folder'
import { readTracked } from './read-tracked'
import type { UnpackedArchive } from './unpack-archive'

export interface ReadItems extends ReadFiles {
  /** The directory with the files; null if they belong into the two editors. */
  directory: Directory | null
}

interface Current {
  draft: Draft
  directory: Directory | null
  /** The server's limit for a directory. */
  maxBytes: number
}

/**
 * Reads what the user dropped: a program and a config for the two editors, a folder or an archive as the directory of the job,
 * or files to add to it.
 * @throws Error with a sentence for the user if something cannot be read.
 */
export async function readItems(items: readonly DroppedItem[], current: Current): Promise<ReadItems> {
  const [only] = items
  if (only !== undefined && items.length === 1 && isWholeDirectory(only, current)) {
    const { name, entries, unread, ...origin } = await readWhole(only, current)
    return finish({ ...origin, name, configFile: null }, entries, unread, current.draft)
  }
  const files = items.flatMap((item) => (item.kind === 'file' ? [item.file] : []))
  const areFiles = files.length === items.length
  const archives = files.filter(({ name }) => isArchiveName(name))
  const others = files.filter((file) => !archives.includes(file))
  const beside = archives.length === 1 && areFiles ? pickProgramAndConfig(others) : null
  if (archives[0] !== undefined && beside !== null) return readWithArchive(archives[0], beside, current)
  const picked = areFiles ? pickProgramAndConfig(files) : null
  if (current.directory === null && picked !== null) return { ...(await readFiles(picked)), directory: null }
  return addItems(items, current)
}

/** An archive with the config of the job, a program for it, or both: the archive is unpacked, as the API does it. */
async function readWithArchive(archive: File, beside: PickedFiles, current: Current): Promise<ReadItems> {
  const { code, config } = beside
  const read = await readFiles(config === undefined ? {} : { config })
  const draft = { ...current.draft, ...read.change }
  const named = code === undefined ? namedIn(draft.config) : null
  const { entries, emptyDirectories } = await unpack(archive, current.maxBytes, named)
  const program = code === undefined ? [] : [{ path: code.name, content: code }]
  const replaced = new Set(program.map(({ path }) => path))
  const all = [...entries.filter(({ path }) => !replaced.has(path)), ...program]
  const origin = { name: archive.name, configFile: null, packed: true, emptyDirectories }
  if (config === undefined) return finish(origin, all, [], draft)
  const directory = arrange(origin, await withRuleTexts(all))
  const { change, ...result } = toResult(directory, null, draft, [archive.name, ...read.accepted])
  return {
    ...result,
    change: { ...read.change, ...change },
    refused: read.refused,
    droppedToken: read.droppedToken,
  }
}

/** A folder is added to a directory that was put together from files. Otherwise it is the directory. */
function isWholeDirectory(item: DroppedItem, { directory }: Current): boolean {
  if (item.kind === 'file') return isArchiveName(item.file.name)
  return item.kind === 'listed' || directory === null || directory.name !== null
}

type Whole = Omit<ReadFolder, 'entries'> & { name: string; entries: readonly LocalEntry[]; packed?: boolean }

async function readWhole(item: DroppedItem, { maxBytes, draft }: Current): Promise<Whole> {
  if (item.kind === 'folder') return { name: item.folder.name, ...(await readFolder(item.folder)) }
  if (item.kind === 'listed')
    return { name: item.name, unread: [], emptyDirectories: [], ...(await readListed(item.files)) }
  const unpacked = await unpack(item.file, maxBytes, namedIn(draft.config))
  return { name: item.file.name, ...unpacked, unread: [], tracked: [], packed: true }
}

/** The paths of files in a chosen folder begin with the name of the folder. */
async function readListed(files: readonly File[]): Promise<Pick<ReadFolder, 'entries' | 'tracked'>> {
  const entries = files.map((content) => ({
    path: content.webkitRelativePath.replace(/^[^/]*\//, ''),
    content,
  }))
  const contents = new Map(entries.map(({ path, content }) => [path, content]))
  const repositories = new Set(
    [...contents.keys()]
      .flatMap((path) => /^(.*\/)?\.git(\/index)?$/.exec(path)?.[1]?.slice(0, -1) ?? '')
      .filter(String),
  )
  const tracked = await Promise.all(
    ['', ...repositories].map((directory) =>
      readTracked(directory, async (path) => contents.get(path) ?? null),
    ),
  )
  return { entries, tracked: tracked.filter((found) => found !== null) }
}

function namedIn(config: string): NamedFiles {
  return { entrypoint: namedEntrypoint(config), command: commandOf(config) ?? undefined }
}

async function unpack(archive: File, maxBytes: number, named: NamedFiles | null): Promise<UnpackedArchive> {
  let unpacked: UnpackedArchive = { entries: [], emptyDirectories: [] }
  await runInWebWorker({ kind: 'unpack', archive, maxBytes, named }, (message) => {
    if (message.kind === 'unpacked') unpacked = message
  })
  return unpacked
}

async function addItems(items: readonly DroppedItem[], { draft, directory }: Current): Promise<ReadItems> {
  const added: LocalEntry[] = []
  const unread: Exclusion[] = []
  const tracked: TrackedFiles[] = []
  const emptyDirectories: string[] = []
  for (const item of items) {
    if (item.kind === 'file') added.push({ path: item.file.name, content: item.file })
    if (item.kind !== 'folder') continue
    const { name } = item.folder
    const read = await readFolder(item.folder)
    emptyDirectories.push(...read.emptyDirectories.map((path) => `${name}/${path}`))
    for (const entry of read.entries) added.push({ ...entry, path: `${name}/${entry.path}` })
    for (const { path, rule, ...rest } of read.unread) {
      const file = rule.file === null ? null : `${name}/${rule.file}`
      unread.push({ ...rest, path: `${name}/${path}`, rule: { ...rule, file } })
    }
    for (const { directory: root, ...rest } of read.tracked)
      tracked.push({ ...rest, directory: root === '' ? name : `${name}/${root}` })
  }
  if (directory === null) {
    const program = draft.code.trim() === '' ? [] : [toLocalFile('solution.py', draft.code)]
    const replaced = new Set(added.map(({ path }) => path))
    const kept = program.filter(({ path }) => !replaced.has(path))
    return finish(
      { name: null, configFile: null, tracked, emptyDirectories },
      [...kept, ...added],
      unread,
      draft,
    )
  }
  const { config, rest } = await takeConfig(added)
  const changed = withEntries(
    {
      ...directory,
      excluded: [...directory.excluded, ...unread],
      tracked: [...(directory.tracked ?? []), ...tracked],
      emptyDirectories: [...(directory.emptyDirectories ?? []), ...emptyDirectories],
      configFile: config?.name ?? directory.configFile,
    },
    await withRuleTexts(rest),
  )
  return toResult(changed, config, draft, items.map(nameOf))
}

async function finish(
  origin: DirectoryOrigin,
  entries: readonly LocalEntry[],
  unread: readonly Exclusion[],
  draft: Draft,
): Promise<ReadItems> {
  const { config, rest } = await takeConfig(entries)
  const directory = arrange(
    { ...origin, configFile: config?.name ?? null },
    await withRuleTexts(rest),
    unread,
  )
  if (directory.entries.length === 0) {
    const what = origin.name ?? 'The selection'
    throw new Error(`${what} has no files for the job, or its ignore rules exclude all of them.`)
  }
  return toResult(directory, config, draft, [origin.name ?? `${entries.length} files`])
}

function toResult(
  directory: Directory,
  config: TakenConfig | null,
  draft: Draft,
  accepted: string[],
): ReadItems {
  const text = config === null ? draft.config : withoutToken(config.text)
  // The reference to the directory of an earlier job no longer applies.
  const next = readConfigText(text)?.write('archive', undefined) ?? text
  return {
    directory,
    change: next === draft.config ? {} : { config: next },
    accepted,
    refused: [],
    droppedToken: config !== null && text !== config.text,
  }
}

interface TakenConfig {
  name: string
  text: string
}

/** Takes the config of the job from the top of the directory. A config.yaml of another program stays a file. */
async function takeConfig(
  entries: readonly LocalEntry[],
): Promise<{ config: TakenConfig | null; rest: readonly LocalEntry[] }> {
  for (const name of ['config.yaml', 'config.yml']) {
    const file = entries.find(({ path }) => path === name)
    if (!file || isLocalLink(file) || file.content.size > maxTextBytes) continue
    const text = await readText(file.content)
    if (text === null || !isJobConfig(text)) continue
    return { config: { name, text }, rest: entries.filter((entry) => entry !== file) }
  }
  return { config: null, rest: entries }
}

const tellingKeys = ['competition_id', 'project_id', 'expected_time']

function isJobConfig(text: string): boolean {
  const config = readConfigText(text)
  return config !== null && tellingKeys.some((key) => config.read(key).kind !== 'absent')
}

function nameOf(item: DroppedItem): string {
  if (item.kind === 'file') return item.file.name
  return item.kind === 'folder' ? item.folder.name : item.name
}
