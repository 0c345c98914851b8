import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative } from 'node:path'

/** The files of a build that pages load. It may have others, such as source maps. */
const pageFile = /\.(?:js|css|json|svg|woff2)$/

/** The types of the files that the build compresses (deploy/package/compress-static.mjs). */
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The encodings that the build writes, in the order of preference, and the endings of their files. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

interface StaticFile {
  type: string
  contents: Partial<Record<(typeof encodings)[number]['name'], Buffer>>
}

const prefix = '/_next/static/'

/**
 * The scripts and styles of the pages, which the build has compressed. Their names contain a hash of their content, so that
 * browsers keep them. Without this, Next.js would compress each file for each request.
 */
export class StaticFiles {
  readonly #files = new Map<string, StaticFile>()
  readonly #paths = new Set<string>()

  /** @param directory `.next/static` of a build. Few MiB: they stay in memory. */
  static async load(directory: string): Promise<StaticFiles> {
    const files = new StaticFiles()
    const entries = await readdir(directory, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name)
      await files.#add(relative(directory, path), path)
    }
    return files
  }

  /** Whether the build has a file for pages at this address. */
  has(url: string): boolean {
    return this.#paths.has(pathOf(url))
  }

  async #add(name: string, path: string): Promise<void> {
    if (pageFile.test(name)) this.#paths.add(prefix + name)
    const encoding = encodings.find(({ ending }) => name.endsWith(ending))
    const original = encoding ? name.slice(0, -encoding.ending.length) : name
    const type = types[extname(original)]
    if (!encoding || !type) return
    const key = prefix + original
    const file = this.#files.get(key) ?? { type, contents: {} }
    file.contents[encoding.name] = await readFile(path)
    this.#files.set(key, file)
  }

  /** Answers a request for one of the files. Returns false if it asks for something else, or accepts no compression. */
  serve({ method, url = '', headers }: IncomingMessage, response: ServerResponse): boolean {
    const file = this.#files.get(pathOf(url))
    if (!file || (method !== 'GET' && method !== 'HEAD')) return false
    const accepted = acceptedEncodings(headers['accept-encoding'] ?? '')
    const encoding = encodings.find(({ name }) => accepted.has(name) && file.contents[name])
    const content = encoding && file.contents[encoding.name]
    if (!content) return false
    response.writeHead(200, {
      'content-type': file.type,
      'content-encoding': encoding.name,
      'content-length': content.length,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    response.end(method === 'HEAD' ? undefined : content)
    return true
  }
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? ''

/** The encodings in `Accept-Encoding` that are not excluded with `q=0`. */
function acceptedEncodings(header: string): Set<string> {
  const parts = header.toLowerCase().split(',')
  const names = parts.map((part) => part.split(';').map((piece) => piece.trim()))
  return new Set(names.filter(([, q]) => !q || !/^q=0(\.0*)?$/.test(q)).map(([name = '']) => name))
}
