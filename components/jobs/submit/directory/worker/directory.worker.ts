import { performTask, type Task } from './perform-task'

/** A web worker: hashing and unpacking would block the page. */
addEventListener('message', ({ data }: MessageEvent<Task>) => {
  void performTask(data, (message) => postMessage(message))
})
