import type { FileMessage, FileRequest } from './process-files'

/**
 * Sends a request to a new web worker, and passes its messages to `onMessage`. An error of `onMessage` ends the web worker.
 * @throws Error with a sentence for the user if the request fails; the error of `onMessage`; the reason of `signal`.
 */
export async function runInWebWorker(
  request: FileRequest,
  onMessage: (message: FileMessage) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./file-processor.ts', import.meta.url), { type: 'module' })
  try {
    await new Promise<void>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.addEventListener('error', () =>
        reject(new Error('The browser could not read the files. Reload the page and try again.')),
      )
      worker.addEventListener('message', ({ data }: MessageEvent<FileMessage>) => {
        try {
          onMessage(data)
        } catch (error) {
          reject(error)
        }
        if (data.kind === 'failed') reject(new Error(data.message))
        if (data.kind === 'done') resolve()
      })
      worker.postMessage(request)
    })
  } finally {
    worker.terminate()
  }
}
