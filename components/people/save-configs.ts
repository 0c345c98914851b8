import type { CreatedTokens } from '@/lib/people/contract-token-batches'
import { saveBlob } from '../ui/save-blob'

/** Saves a zip file with a directory for each user, which has the user's `config.yaml`. */
export async function saveConfigs({ project_id, tokens }: CreatedTokens): Promise<void> {
  const { BlobWriter, configure, TextReader, ZipWriter } = await import('@zip.js/zip.js')
  // The library's own workers come from blob addresses, which the page forbids.
  configure({ useWebWorkers: false })
  const zip = new ZipWriter(new BlobWriter('application/zip'))
  for (const { user_id, config } of tokens)
    await zip.add(`${project_id}/${user_id}/config.yaml`, new TextReader(config))
  saveBlob(`${project_id}-configs.zip`, await zip.close())
}
