/**
 * Packs the command line as an npm package, which the web server offers for download. Users need no checkout.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packFiles } from '../image/tar.mjs'

/** The header byte in which gzip stores the operating system. */
const systemByte = 9
const unknownSystem = 255

/**
 * Packs the bundled program, its chunks and the licenses of bundled packages. The same build creates the same
 * bytes, so that a user can be told whether their package is current.
 * @param {string} root the checkout
 * @param {Pick<import('esbuild').Metafile, 'inputs' | 'outputs'>} built
 */
export function packCommandLine(root, { inputs, outputs }) {
  const scripts = Object.keys(outputs).filter((path) => path.endsWith('.js'))
  const files = [
    { name: 'package.json', content: Buffer.from(`${JSON.stringify(manifestOf(root), null, 2)}\n`) },
    { name: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) },
    { name: 'THIRD-PARTY-LICENSES', content: Buffer.from(licensesOf(root, Object.keys(inputs))) },
    ...scripts.sort().map((path) => ({
      name: path,
      content: withoutMap(readFileSync(join(root, path), 'utf8')),
      executable: path === 'dist/cli.js',
    })),
  ]
  const packed = gzipSync(packFiles(files.map((file) => ({ ...file, name: `package/${file.name}` }))), {
    level: 9,
  })
  packed[systemByte] = unknownSystem
  return packed
}

/**
 * The package.json. It has no dependencies, because everything is bundled.
 * @param {string} root
 */
function manifestOf(root) {
  const { name, version, description, license, type, engines, bin } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return { name, version, description, license, type, engines, bin }
}

/**
 * Removes the reference to the source map, which is not packed.
 * @param {string} script
 */
function withoutMap(script) {
  return Buffer.from(script.replace(/\/\/# sourceMappingURL=.*\n*$/, ''))
}

/**
 * The licenses of the bundled packages. Most licenses require that they are included.
 * @param {string} root
 * @param {string[]} inputs the bundled files, relative to the root
 */
function licensesOf(root, inputs) {
  const homes = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(homes)]
    .sort()
    .map((home) => {
      const directory = join(root, home)
      const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
      const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? '' : readFileSync(join(directory, file), 'utf8').trim()
      return `${name} ${version} (${license})\n\n${text}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}
