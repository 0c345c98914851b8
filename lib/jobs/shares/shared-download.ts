import { OutputReader } from '../../results/reading/output-reader'
import { downloadText } from '../downloads/download'
import { countReading, downloadsByLinksOf, findShare, openShare } from './shared-job'

/**
 * Downloads the output of a job for the holder of a link.
 * @param address of the client, for the rate limit
 * @throws 404 for a link that is not valid, and 429.
 */
export async function downloadSharedOutput(
  token: string,
  address: string,
  { method, signal }: Pick<Request, 'method' | 'signal'>,
): Promise<Response> {
  const share = await openShare(token, address)
  countReading(share)
  const reader = new OutputReader(downloadsByLinksOf(share), signal, method === 'HEAD')
  const mayRead = async () => (await findShare(token)) !== null
  return downloadText(reader, { id: share.jobId, attempt: share.attempt }, { name: 'output.txt', mayRead })
}
