import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { root } from '../../run/settings.mjs'

/** A file that git knows. */
export interface ListedFile {
  path: string
  lines: number
}

interface Size {
  files: number
  lines: number
}

export interface FeatureLayout extends Size {
  name: string
  folders: string[]
}

export interface Layout {
  /** The largest feature first. */
  features: FeatureLayout[]
  /** Code outside tests. */
  code: Size
  /** Lines of other kinds, by kind. */
  beside: Record<'tests' | 'SQL' | 'Python' | 'generated', number>
  /** What breaks the rules, as sentences. */
  problems: string[]
}

/** Every file with code that git knows, or will know, with its lines. */
export async function listFiles(): Promise<ListedFile[]> {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const paths = listed.split('\n').filter((path) => /\.(tsx?|mjs|cjs|js|sql|py)$/.test(path))
  const read = async (path: string) => {
    const text = await readFile(join(root, path), 'utf8').catch(() => null)
    return text === null ? [] : [{ path, lines: text.split('\n').length - 1 }]
  }
  return (await Promise.all(paths.map(read))).flat()
}

/** Where a feature may have one folder each. Pages in `app` stay where Next.js wants them. */
const topLevels = ['lib', 'components', 'worker', 'cli', 'e2e']
/** What every installation runs. A new folder below a top-level one is a feature, or it is named here. */
const kernel: Readonly<Record<string, readonly string[]>> = {
  lib: words(
    'access archives async cluster contract database engine env http jobs queue results routes scheduling storage',
  ),
  components: words('access admin cluster jobs queries shell storage testing ui'),
  worker: words('archives engine faults files gpus node runtime scheduler testing'),
  cli: words('attach commands console declare follow job local pack python received testing'),
}

function words(text: string): string[] {
  return text.split(' ')
}

const isCode = (path: string) => /\.(tsx?|mjs|cjs|js)$/.test(path)
const isTest = (path: string) =>
  /\.(test|spec)\.tsx?$/.test(path) || /(^|\/)(testing|fixtures)\//.test(path) || path.startsWith('e2e/')
/** What `npm run docs` and other commands write. */
const isGenerated = (path: string) =>
  path === 'lib/http/client/routes.ts' || path === 'cli/declare/config-options.ts'

/** The size of each feature, and whether each has one name and at most one folder of that name below each top-level folder. */
export function describeLayout(files: readonly ListedFile[], features: readonly string[]): Layout {
  const isReleased = ({ path }: ListedFile) => isCode(path) && !isTest(path) && !isGenerated(path)
  const released = files.filter(isReleased)
  const described = features.map((name) => {
    const folders = topLevels.map((top) => `${top}/${name}`).filter((folder) => hasFiles(files, folder))
    const own = released.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)))
    return { name, folders, ...sizeOf(own) }
  })
  const linesOf = (include: (path: string) => boolean) =>
    sizeOf(files.filter(({ path }) => include(path))).lines
  return {
    features: described.sort((a, b) => b.lines - a.lines),
    code: sizeOf(released),
    beside: {
      tests: linesOf((path) => isCode(path) && isTest(path)),
      SQL: linesOf((path) => path.endsWith('.sql')),
      Python: linesOf((path) => path.endsWith('.py')),
      generated: linesOf(isGenerated),
    },
    problems: [
      ...described
        .filter(({ folders }) => folders.length === 0)
        .map(({ name }) => `lib/features.ts names ${name}, which has no folder.`),
      ...new Set(files.flatMap(({ path }) => problemsOf(path, features))),
    ],
  }
}

function problemsOf(path: string, features: readonly string[]): string[] {
  const [top = '', name = '', ...rest] = path.split('/')
  const known = kernel[top]
  if (rest.length === 0 || known === undefined) return []
  if (!features.includes(name) && !known.includes(name))
    return [
      `${top}/${name} is neither a feature of lib/features.ts nor a folder of the kernel (deploy/checks/layout/layout.ts).`,
    ]
  const second = foldersAbove(path)
    .filter((folder) => folder.split('/').length > 2)
    .find((folder) => features.includes(basename(folder)) && basename(folder) !== name)
  return second === undefined
    ? []
    : [`${second} has the name of a feature. Move it to ${top}/${basename(second)}, or rename it.`]
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [...foldersAbove(folder), folder]
}

const hasFiles = (files: readonly ListedFile[], folder: string) =>
  files.some(({ path }) => path.startsWith(`${folder}/`))

function sizeOf(files: readonly ListedFile[]): Size {
  return { files: files.length, lines: files.reduce((sum, { lines }) => sum + lines, 0) }
}
