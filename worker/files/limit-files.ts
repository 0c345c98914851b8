import type { FoundFile, SkippedFile } from './safe-walk'

/**
 * All files together may have this many times the limit of their data, with holes. Holes take no space, but reading
 * them takes time.
 */
const mostHoles = 4

/**
 * Skips files whose data exceeds the limit in total. A sparse file may claim any size: it counts by its data, and is
 * skipped if it claims far more than the limit.
 * @param place the directory of the files, as the job sees it.
 */
export function limitFiles(
  files: readonly FoundFile[],
  limitBytes: number,
  place: string,
): { found: FoundFile[]; skipped: SkippedFile[] } {
  let left = limitBytes
  let leftWithHoles = limitBytes * mostHoles
  const found: FoundFile[] = []
  const skipped: SkippedFile[] = []
  for (const file of files) {
    const skip = (why: string) => skipped.push({ path: file.path, why })
    if (file.dataBytes > left) skip(`it exceeds the size limit for ${place}`)
    else if (file.bytes > leftWithHoles) skip('it is sparse and claims far more than the size limit')
    else {
      left -= file.dataBytes
      leftWithHoles -= file.bytes
      found.push(file)
    }
  }
  return { found, skipped }
}
