import type { Task, TaskMessage } from './perform-task'

/**
 * Performs a task in a web worker of its own, and passes its messages to `onMessage`, whose errors end the task.
 * @throws Error with a sentence for the user if the task fails; the error of `onMessage`; the reason of `signal`.
 */
export async function runTask(
  task: Task,
  onMessage: (message: TaskMessage) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted()
  const worker = new Worker(new URL('./directory.worker.ts', import.meta.url), { type: 'module' })
  try {
    await new Promise<void>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.addEventListener('error', () =>
        reject(new Error('The browser could not start the upload. Reload the page and try again.')),
      )
      worker.addEventListener('message', ({ data }: MessageEvent<TaskMessage>) => {
        try {
          onMessage(data)
        } catch (error) {
          reject(error)
        }
        if (data.kind === 'failed') reject(new Error(data.message))
        if (data.kind === 'done') resolve()
      })
      worker.postMessage(task)
    })
  } finally {
    worker.terminate()
  }
}
