import { TableEngine } from './table-engine'
import type { TableRequest } from './table-messages'

/** Runs in a web worker: reading, sorting and filtering a million rows would block the page. */
const engine = new TableEngine((message) => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<TableRequest>) => {
  void engine.receive(data)
})
