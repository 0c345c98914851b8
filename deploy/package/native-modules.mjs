/**
 * Finds what install scripts have built in node_modules. A package that is not in `allowScripts` of package.json must
 * not have run any.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'

/**
 * Packages that contain a compiled module as published, without a script that builds it: one for each platform.
 */
const prebuilt = [
  /^@img\/sharp-/,
  /^@napi-rs\/canvas-/,
  /^@next\/swc-/,
  /^@node-rs\/argon2-/,
  /^@rolldown\/binding-/,
  /^@rollup\/rollup-/,
  /^@tailwindcss\/oxide-/,
  /^lightningcss-/,
]

/** Files of such packages that are published like this. */
const published = new Set(['node_modules/ssh2/util/pagent.exe'])

const builtExtensions = new Set(['.node', '.o', '.a', '.so', '.dylib', '.dll', '.exe'])
/** The first bytes of programs: ELF, Mach-O. */
const programMagic = ['7f454c46', 'cffaedfe', 'feedfacf', 'cafebabe']

/**
 * The paths of installed packages that have install scripts and may not run them.
 * @param {Record<string, { hasInstallScript?: boolean }>} locked `packages` of package-lock.json
 * @param {string[]} allowed names of packages
 */
export function deniedPackages(locked, allowed) {
  return Object.keys(locked).filter(
    (path) => locked[path]?.hasInstallScript && !allowed.includes(nameOf(path)),
  )
}

/**
 * What install scripts have built in these packages, as paths below the directory.
 * @param {string} directory
 * @param {string[]} packages paths such as `node_modules/ssh2`
 */
export function builtFiles(directory, packages) {
  return packages
    .flatMap((path) => filesBelow(join(directory, path)).filter(isBuilt))
    .map(below(directory))
    .filter((path) => !published.has(path))
}

/**
 * Native modules in packages that are not known to contain one, as paths below the directory.
 * @param {string} directory
 */
export function unexpectedModules(directory) {
  return filesBelow(join(directory, 'node_modules'))
    .filter((path) => extname(path) === '.node')
    .map(below(directory))
    .filter((path) => !prebuilt.some((name) => name.test(nameOf(path))))
}

/** @param {string} directory */
const below = (directory) => (/** @type {string} */ path) => relative(directory, path).split(sep).join('/')

/**
 * The name of the package to which a path belongs.
 * @param {string} path
 */
function nameOf(path) {
  const inside = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return /^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function filesBelow(directory) {
  /** @type {import('node:fs').Dirent[]} */
  let entries
  try {
    entries = readdirSync(directory, { withFileTypes: true })
  } catch {
    // Optional packages of other platforms are not installed.
    return []
  }
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })
}

/** @param {string} path */
function isBuilt(path) {
  const extension = extname(path)
  return builtExtensions.has(extension) || (extension === '' && isProgram(path))
}

/** @param {string} path */
function isProgram(path) {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(4)
    readSync(file, start)
    return programMagic.includes(start.toString('hex'))
  } finally {
    closeSync(file)
  }
}
