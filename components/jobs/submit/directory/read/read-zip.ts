import { BlobReader, BlobWriter, configure, type Entry, ZipReader } from '@zip.js/zip.js'
import type { PackedEntry } from '@/lib/contract/archives/unpack/packed-entry'
import { describeZipEntry } from '@/lib/contract/archives/unpack/zip-entry'
import { piecesOf } from './streams'

// This code runs in a web worker. The library's own workers come from blob addresses, which the page forbids.
configure({ useWebWorkers: false })

/** Reads the entries of a zip file. Unpacks a content only if it is asked for. */
export async function* readZip(archive: Blob): AsyncGenerator<PackedEntry> {
  // The names are decoded and checked here, as in every reader of archives.
  const options = { checkCrc32: true, filenameValidation: 'tolerant' } as const
  const zip = new ZipReader(new BlobReader(archive), options)
  for await (const entry of zip.getEntriesGenerator()) {
    const described = describeZipEntry({
      rawName: entry.rawFilename,
      flags: entry.rawBitFlag ?? 0,
      method: entry.compressionMethod,
      madeBy: entry.versionMadeBy,
      attributes: entry.externalFileAttributes,
      extraFields: [...(entry.extraField ?? [])].map(([id, { data }]) => ({ id, data })),
    })
    yield { ...described, bytes: entry.uncompressedSize, content: () => readContent(entry), target: null }
  }
  await zip.close()
}

async function* readContent(entry: Entry): AsyncGenerator<Uint8Array> {
  if (!entry.directory) yield* piecesOf((await entry.getData(new BlobWriter())).stream())
}
