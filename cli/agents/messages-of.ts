import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { leaveOutNullsOfMessage } from '@/lib/contract/leave-out-nulls'
import { parseJson } from '@/lib/contract/parse-json'

/** The lines of an agent, each a message, without what it left out as null. */
export function messagesOf(input: Readable): Readable {
  return Readable.from(readMessages(input))
}

async function* readMessages(input: Readable): AsyncGenerator<Buffer> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const message = parseJson(line)
    // A line that is no message goes on as it is: the protocol says what is wrong.
    const text = message === undefined ? line : JSON.stringify(leaveOutNullsOfMessage(message))
    // The protocol's transport reads bytes.
    yield Buffer.from(`${text}\n`)
  }
}
