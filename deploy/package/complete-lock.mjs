/**
 * `npm run lock`: adds to package-lock.json the packages for other platforms that the registry did not have when the
 * lock was written. `npm ci` requires an entry for each optional dependency, also for one that it does not install.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../run/settings.mjs'

/**
 * @typedef {object} Locked
 * @property {string} [version]
 * @property {boolean} [dev]
 * @property {Record<string, string>} [optionalDependencies]
 */

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'sunos', 'win32']
const processors = ['arm', 'arm64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
/** @type {Record<string, string>} */
const libraries = { gnu: 'glibc', musl: 'musl' }

/**
 * The platform that a package's name states, as npm records it. Null when the name states none.
 * @param {string} name such as `@next/swc-linux-x64-gnu`
 */
export function platformOf(name) {
  const words = name.split(/[/-]/)
  const os = words.filter((word) => systems.includes(word))
  const cpu = words.filter((word) => processors.includes(word))
  const libc = words.flatMap((word) => libraries[word] ?? [])
  if (cpu.length !== 1 || (os.length !== 1 && cpu[0] !== 'wasm32')) return null
  return { cpu, libc: libc.length > 0 ? libc : undefined, os: os.length > 0 ? os : undefined }
}

/**
 * The optional dependencies without an entry.
 * @param {Record<string, Locked>} packages of package-lock.json
 */
export function missingOptional(packages) {
  return Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`])
      .map(([name, version]) => ({ name, version, dev })),
  )
}

/**
 * The packages with the missing entries. They have no integrity, because it comes from the registry: npm adds it when
 * it installs such a package.
 * @param {Record<string, Locked>} packages of package-lock.json
 * @returns {Record<string, Locked>}
 */
export function completePackages(packages) {
  const added = missingOptional(packages).map(({ name, version, dev }) => {
    const platform = platformOf(name)
    if (!platform || !/^\d/.test(version)) {
      throw new Error(
        `package-lock.json lacks ${name}@${version}, and its platform and version cannot be derived.\n` +
          'Run "npm install" with a registry that has this package.',
      )
    }
    const { cpu, libc, os } = platform
    // The order is npm's, so that its next change to the file moves no lines.
    return [`node_modules/${name}`, { version, cpu, dev, libc, optional: true, os }]
  })
  const all = [...Object.entries(packages), ...added]
  return Object.fromEntries(all.sort(([a], [b]) => String(a).localeCompare(String(b), 'en')))
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = join(root, 'package-lock.json')
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const packages = completePackages(lock.packages)
  const added = Object.keys(packages).length - Object.keys(lock.packages).length
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  console.log(`package-lock.json: ${added} packages for other platforms added`)
}
