import { vi } from 'vitest'
import { type FileRequest, processFiles } from '../jobs/submit/directory/web-worker/process-files'

/** A web worker that works in the same thread. */
class FakeWorker extends EventTarget {
  #terminated = false

  postMessage(request: FileRequest): void {
    void processFiles(request, (data) => {
      if (!this.#terminated) this.dispatchEvent(new MessageEvent('message', { data }))
    })
  }

  terminate(): void {
    this.#terminated = true
  }
}

/** A request that is answered by the fake `fetch` of the test. */
class FakeRequest extends EventTarget {
  readonly upload = new EventTarget()
  status = 0
  statusText = ''
  responseText = ''
  #method = ''
  #url = ''
  #headers = new Headers()
  #answer = new Headers()
  #aborted = false

  open(method: string, url: string): void {
    this.#method = method
    this.#url = url
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  getResponseHeader(name: string): string | null {
    return this.#answer.get(name)
  }

  abort(): void {
    this.#aborted = true
  }

  send(body: Blob): void {
    const loaded = Math.floor(body.size / 2)
    this.upload.dispatchEvent(new ProgressEvent('progress', { loaded, total: body.size }))
    void this.#send()
  }

  async #send(): Promise<void> {
    try {
      const response = await fetch(this.#url, {
        method: this.#method,
        headers: this.#headers,
        body: 'contents',
      })
      this.#answer = response.headers
      this.status = response.status
      this.statusText = response.statusText
      this.responseText = await response.text()
      if (!this.#aborted) this.dispatchEvent(new Event('load'))
    } catch {
      if (!this.#aborted) this.dispatchEvent(new Event('error'))
    }
    this.dispatchEvent(new Event('loadend'))
  }
}

/** What uploads need and jsdom lacks. Call it in each test. */
export function stubUploads(): void {
  Blob.prototype.stream ??= streamOf
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
}

function streamOf(this: Blob): ReadableStream<Uint8Array<ArrayBuffer>> {
  const read = async () => new Uint8Array(await this.arrayBuffer())
  return new ReadableStream({
    start: async (controller) => {
      controller.enqueue(await read())
      controller.close()
    },
  })
}

/** Files as the browser lists those of a chosen folder. */
export function filesOfFolder(folder: string, texts: Record<string, string>): File[] {
  return Object.entries(texts).map(([path, text]) => {
    const file = new File([text], path.split('/').at(-1) ?? '')
    Object.defineProperty(file, 'webkitRelativePath', { value: `${folder}/${path}` })
    return file
  })
}
