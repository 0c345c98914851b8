import { type FileRequest, processFiles } from './process-files'

/** Runs in a web worker, because hashing and unpacking would block the page. */
addEventListener('message', ({ data }: MessageEvent<FileRequest>) => {
  void processFiles(data, (message) => postMessage(message))
})
