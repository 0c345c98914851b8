/** Compresses the scripts and styles of a build, so that the web server does not do it for each request. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const compressible = /\.(js|css|json|svg)$/

/** @param {string} directory `.next/static` of a build */
export async function compressStatic(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && compressible.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  await Promise.all(paths.map(compress))
}

/** @param {string} path */
async function compress(path) {
  const content = await readFile(path)
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, options))
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}
