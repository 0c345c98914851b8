import { notFound } from '../../contract/errors'
import type { StaticFiles } from './static-files'

/** A first segment that begins with an underscore, also if it is encoded once or several times. */
const frameworkPath = /^(?:[/\\\s]|%(?:25)*(?:2f|5c))*(?:_|%(?:25)*5f)/i

/**
 * Refuses the paths that Next.js has by itself, except the files of the pages. All of them begin with an underscore, and no
 * page of gpuq does: image optimizer (`/_next/image`), data of pages, source maps, tools of development, error pages.
 * @throws 404
 */
export function refuseFrameworkPath(url: string, files: Pick<StaticFiles, 'has'>): void {
  if (!frameworkPath.test(url) || files.has(url)) return
  throw notFound('There is no file at this address. Load the page again.')
}
