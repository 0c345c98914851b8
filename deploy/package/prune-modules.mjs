/**
 * Removes build-only packages from node_modules in gpuq's image, about two thirds of a gigabyte. The list is
 * not maintained by hand: it starts at the imports of the built programs.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import nextConfig from '../../next.config.js'
import { root } from '../run/settings.mjs'

/**
 * @typedef {object} LockedPackage
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */

/** The bundled programs of the image. */
export const programs = ['dist/worker.js', 'dist/web.js', 'dist/setup.js', 'dist/invite.js']

/** The packages that Next.js needs at run time, in addition to those its build excludes. */
const web = ['next', 'react', 'react-dom', ...nextConfig.serverExternalPackages]

/** Next's compiler for each platform, only needed to build. */
const compiler = /(^|\/)@next\/swc-[^/]+$/

/**
 * The packages that a bundled program imports.
 * @param {string} program the program's code
 */
export function importedPackages(program) {
  const names = [
    ...program.matchAll(/(?:\bfrom|\bimport|resolve\(|\bimport\(|require\d*\()\s*"([^"./][^"]*)"/g),
  ]
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !specifier.includes(':') && !isBuiltin(specifier))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier)
  return [...new Set(names)].sort()
}

/**
 * The lock-file paths of these packages and their dependencies.
 * @param {Record<string, LockedPackage>} locked `packages` of package-lock.json
 * @param {string[]} names
 */
export function neededPaths(locked, names) {
  /** @type {Set<string>} */
  const needed = new Set()
  const wanted = names.map((name) => ({ name, from: '' }))
  for (const { name, from } of wanted) {
    const path = locate(locked, name, from)
    if (path === null || needed.has(path) || compiler.test(path)) continue
    needed.add(path)
    const found = locked[path] ?? {}
    const peers = Object.keys(found.peerDependencies ?? {}).filter(
      (peer) => found.peerDependenciesMeta?.[peer]?.optional !== true,
    )
    const own = Object.keys({ ...found.dependencies, ...found.optionalDependencies })
    wanted.push(...[...own, ...peers].map((dependency) => ({ name: dependency, from: path })))
  }
  return needed
}

/**
 * Resolves a package as Node does: first in the importing package, then in each enclosing one.
 * @param {Record<string, LockedPackage>} locked
 * @param {string} name
 * @param {string} from
 */
function locate(locked, name, from) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (locked[path]) return path
    if (place === '') return null
  }
}

/** The lock-file paths that the image's programs need. */
export function pathsOfImage() {
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8')
  const chunks = readdirSync(join(root, 'dist', 'worker')).map((name) => `dist/worker/${name}`)
  const scripts = [...programs, ...chunks.filter((path) => path.endsWith('.js'))]
  const imported = scripts.flatMap((script) => importedPackages(read(script)))
  const locked = JSON.parse(read('package-lock.json')).packages
  return { locked: Object.keys(locked), needed: neededPaths(locked, [...web, ...imported]) }
}

// Runs during the build of the image.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { locked, needed } = pathsOfImage()
  const surplus = locked.filter((path) => path !== '' && !needed.has(path))
  for (const path of surplus) rmSync(join(root, path), { recursive: true, force: true })
  rmSync(join(root, 'node_modules', '.bin'), { recursive: true, force: true })
  console.log(`kept ${needed.size} packages, removed ${surplus.length}`)
}
