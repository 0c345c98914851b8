/** Builds the web server and the worker if their sources changed since the last build. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runCommand } from '../run/processes.mjs'
import { createReport } from '../run/report.mjs'
import { root } from '../run/settings.mjs'
import { compressStatic } from './compress-static.mjs'

const sources = ['app', 'components', 'lib', 'worker', 'cli', 'deploy', 'prisma', 'public']
const configs = [
  'package-lock.json',
  'LICENSE',
  'next.config.js',
  'proxy.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'prisma.config.ts',
]
const results = [
  '.next/BUILD_ID',
  'dist/worker.js',
  'dist/web.js',
  'dist/serve.js',
  'dist/setup.js',
  'dist/invite.js',
  'dist/doctor.js',
  'dist/backup.js',
  'dist/cli.js',
  'dist/gpuq.tgz',
  'lib/database/generated/client.ts',
]
const stampFile = join(root, 'dist', 'build.json')

/**
 * Whether a file is part of the build. Tests and generated code are not.
 * @param {string} path
 */
export function isSource(path) {
  return !/\.test\.tsx?$|(^|\/)(generated|testing|sample)\//.test(path) && !/\.(md|yaml)$/.test(path)
}

/**
 * One hash of the names and contents of all sources.
 * @param {string} [directory]
 */
export function hashSources(directory = root) {
  const files = sources
    .filter((folder) => existsSync(join(directory, folder)))
    .flatMap((folder) =>
      readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1)),
    )
    .filter(isSource)
  const hash = createHash('sha256').update(process.version)
  for (const file of [...files, ...configs].sort()) {
    if (!existsSync(join(directory, file))) continue
    const content = createHash('sha256')
      .update(readFileSync(join(directory, file)))
      .digest('hex')
    hash.update(`${file}\0${content}\n`)
  }
  return hash.digest('hex')
}

/** Whether the last build used the current sources. */
export function buildIsFresh() {
  if (!results.every((path) => existsSync(join(root, path))) || !existsSync(stampFile)) return false
  return JSON.parse(readFileSync(stampFile, 'utf8')).sources === hashSources()
}

/** Whether the Prisma client is newer than its schema. */
export function clientIsFresh() {
  const changed = (/** @type {string} */ path) =>
    statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs
  const files = readdirSync(join(root, 'prisma'), { recursive: true, encoding: 'utf8' })
  const schema = files
    .filter((file) => file.endsWith('.prisma'))
    .map((file) => changed(`prisma/${file}`) ?? 0)
  return (changed('lib/database/generated/client.ts') ?? 0) > Math.max(...schema)
}

const routeTypes = '.next/types/validator.ts'

/**
 * Whether the types of the routes are newer than every change of the routes. Next.js derives them from the names of
 * files, and a new or removed name changes the time of its folder.
 * @param {string} [directory]
 */
export function routeTypesAreFresh(directory = root) {
  const changed = (/** @type {string} */ path) =>
    statSync(join(directory, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folders = readdirSync(join(directory, 'app'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
  return ['app', ...folders, 'next.config.js'].every((path) => changed(path) < changed(routeTypes))
}

/**
 * Generates the types of the routes.
 * @param {{ signal?: AbortSignal }} options
 */
export async function generateRouteTypes({ signal }) {
  await runCommand(process.execPath, ['node_modules/next/dist/bin/next', 'typegen'], {
    label: 'next typegen',
    cwd: root,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    signal,
  })
  // Next.js leaves a file as it is if its content stays the same.
  utimesSync(join(root, routeTypes), new Date(), new Date())
}

/**
 * Generates the Prisma client. The type check needs only this.
 * @param {{ progress: (note: string) => void, signal?: AbortSignal }} options
 */
export async function generateClient({ progress, signal }) {
  progress('Prisma client')
  await runCommand(process.execPath, ['deploy/package/prisma.mjs', 'generate'], {
    label: 'prisma generate',
    cwd: root,
    signal,
  })
}

/** @param {{ progress: (note: string) => void, signal?: AbortSignal }} options */
export async function build({ progress, signal }) {
  // Hash before the build: if a file changes during the build, the next start builds again.
  const built = hashSources()
  rmSync(stampFile, { force: true })
  await generateClient({ progress, signal })
  const env = { ...process.env, NODE_ENV: /** @type {const} */ ('production'), NEXT_TELEMETRY_DISABLED: '1' }
  progress('worker')
  await runCommand(process.execPath, ['deploy/package/bundle.mjs'], {
    label: 'The bundler',
    cwd: root,
    env,
    signal,
  })
  progress('web')
  await runCommand(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
    label: 'next build',
    cwd: root,
    env,
    signal,
    onLine: (line) => progress(`web: ${line.trim()}`),
  })
  progress('web: compressing')
  await compressStatic(join(root, '.next', 'static'))
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify({ sources: built })}\n`)
}

// Can also run alone, for the build of gpuq's own image.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await createReport().step('Build', (progress) => build({ progress }))
}
