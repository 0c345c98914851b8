import { operations } from '../../contract/operations/operations'
import { buildClient, type Client } from './build-client'
import { checkedAnswers } from './checked-answers'
import { type ClientOptions, createTransport } from './transport'

export type { Client, Submission } from './build-client'

/** The client of programs. It checks the answers. */
export function createClient(options: ClientOptions): Client {
  return buildClient(createTransport(options), checkedAnswers(operations))
}
