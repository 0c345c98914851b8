import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

export interface Picture {
  bytes: Uint8Array<ArrayBuffer>
  type: string
  width: number
  height: number
}

const types: Readonly<Record<string, string>> = { '.png': 'image/png', '.svg': 'image/svg+xml' }

let loaded: Promise<ReadonlyMap<string, Picture>> | undefined

/**
 * The pictures of `docs/images` by their names. Few hundred KiB: they stay in memory.
 * @param root where the server was built
 */
export function readPictures(root = process.cwd()): Promise<ReadonlyMap<string, Picture>> {
  loaded ??= loadPictures(join(root, 'docs', 'images')).catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function loadPictures(folder: string): Promise<ReadonlyMap<string, Picture>> {
  const names = (await readdir(folder)).filter((name) => extname(name) in types)
  const pictures = names.map(async (name) => {
    const bytes = new Uint8Array(await readFile(join(folder, name)))
    const type = types[extname(name)] ?? ''
    return [name, { bytes, type, ...sizeOf(Buffer.from(bytes), type) }] as const
  })
  return new Map(await Promise.all(pictures))
}

/** The size in pixels, so that the text below a picture does not move when it has loaded. */
function sizeOf(bytes: Buffer, type: string): { width: number; height: number } {
  // The first chunk of a PNG starts with its size.
  if (type === 'image/png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(bytes.toString()) ?? []
  return { width: Number(width ?? 800), height: Number(height ?? 400) }
}
